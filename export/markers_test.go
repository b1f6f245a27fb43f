package export_test

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// markersSample is a profile of a program with native probes, which has the loop of Words three times. Two are inlined, one of
// them by way of Must and with two markers. The third is as it is: it was never sampled, and the executable's tables do not know
// what function it is.
func markersSample(t testing.TB) *profile.Profile {
	const words = "example.com/m/lex.Words"
	frame := func(name string, line int32) pcct.Frame {
		return pcct.Frame{Name: name, File: "/src/m/lex/lex.go", Line: line}
	}
	lex := profiletest.Sampled(profiletest.Lex())
	lex.Functions[0].Ends = []table.End{{Marker: 0, Edge: 11}}
	r := profiletest.NewRun(101, 0, []string{"/tmp/m"}, lex)
	blank, letter, end := []int{1, 3, 7, 11}, []int{1, 4, 6, 9, 11}, []int{2, 12}
	inMain := []pcct.Frame{frame(words, 6), frame("main.main", 9)}
	viaMust := []pcct.Frame{frame("example.com/m/lex.isBlank", 2), frame(words, 6), frame("example.com/m/lex.Must", 21), frame("main.main", 9)}
	for _, s := range []profiletest.Site{
		{Address: 0x401000, Frames: inMain, Path: blank, Times: 1000, Samples: 64},
		{Address: 0x401020, Frames: inMain, Path: end, Times: 10, Samples: 1},
		{Address: 0x401030, Frames: viaMust, Path: letter, Times: 200, Samples: 12},
		{Address: 0x401040, Frames: viaMust, Path: blank, Times: 40, Samples: 2},
		{Address: 0x402000, Path: blank, Register: true},
	} {
		s.Function = words
		r.Site(s)
	}
	return samples.Load(t, r)
}

func TestMarkersGolden(t *testing.T) {
	p := markersSample(t)
	samples.Golden(t, "markers.json", samples.Write(t, export.WriteMarkers, p))
	samples.Golden(t, "markers.txt", samples.Write(t, export.WriteMarkersText, p))
}

// TestMarkersNone has a profile of a program without native probes.
func TestMarkersNone(t *testing.T) {
	var b strings.Builder
	if err := export.WriteMarkers(&b, samples.Sample(t)); err == nil || !strings.Contains(err.Error(), "-backend native") || b.Len() > 0 {
		t.Errorf("error %v after %q, want one that says how to have native probes", err, b.String())
	}
}
