package pgofile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
)

// TestDecode holds what is read off random stacks against what the toolchain's own program reads: with inlined
// functions, recursion, and samples of several frames.
func TestDecode(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool preprofile")
	}
	for seed := range uint64(5) {
		var b bytes.Buffer
		if err := randomProfile(rand.New(rand.NewPCG(seed, 1))).Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := pgofile.Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(preprofiled(t, b.Bytes()), got, cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("seed %d (-preprofile +Decode):\n%s", seed, diff)
		}
	}
}

func less(a, b pgofile.Edge) bool {
	if a.Caller != b.Caller {
		return a.Caller < b.Caller
	}
	return a.Callee < b.Callee || a.Callee == b.Callee && a.Offset < b.Offset
}

// preprofiled returns the edges that go tool preprofile reads off a profile.
func preprofiled(t *testing.T, data []byte) []pgofile.Edge {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(in, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("go", "tool", "preprofile", "-i", in, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	edges, ok := inline.ReadPreprofile(text)
	if !ok {
		t.Fatalf("not what preprofile writes: %s", text)
	}
	return slices.DeleteFunc(edges, func(e inline.Edge) bool { return e.Weight == 0 })
}

// randomProfile returns a profile with few functions and lines, so that much is there twice.
func randomProfile(r *rand.Rand) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for i := range 5 {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: fmt.Sprint("m.f", i), StartLine: int64(10 * i)})
	}
	for i := range 12 {
		l := &profile.Location{ID: uint64(i + 1), Address: uint64(1000 + i)}
		for range 1 + r.IntN(3) {
			f := p.Function[r.IntN(len(p.Function))]
			l.Line = append(l.Line, profile.Line{Function: f, Line: f.StartLine + r.Int64N(3)})
		}
		p.Location = append(p.Location, l)
	}
	for range 40 {
		s := &profile.Sample{Value: []int64{99, r.Int64N(20)}}
		for range 1 + r.IntN(5) {
			s.Location = append(s.Location, p.Location[r.IntN(len(p.Location))])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// TestDecodeBad has what is no profile, or none with calls.
func TestDecodeBad(t *testing.T) {
	for _, p := range []*profile.Profile{
		{SampleType: []*profile.ValueType{{Type: "alloc", Unit: "bytes"}}},
		{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}, Sample: []*profile.Sample{{Value: []int64{1}}}},
	} {
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if edges, err := pgofile.Decode(b.Bytes()); err == nil {
			t.Errorf("%v: no error", edges)
		}
	}
	if _, err := pgofile.Decode([]byte("package main")); err == nil {
		t.Error("source text is a profile")
	}
	if edges, err := pgofile.Decode(nil); err != nil || len(edges) > 0 {
		t.Errorf("nothing is %v, %v", edges, err)
	}
}
