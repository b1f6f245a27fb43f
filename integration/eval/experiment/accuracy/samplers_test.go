package accuracy

import (
	"slices"
	"strings"
	"testing"
)

func TestSamplers(t *testing.T) {
	samplers, err := parseSamplers(" edges/pep(64,17)  timer pep(64,17) exact edges/portable/timer copy")
	if err != nil {
		t.Fatal(err)
	}
	want := []sampler{{"edges/pep(64,17)", "pep(64,17)", true, false}, {"timer", "timer", false, false},
		{"pep(64,17)", "pep(64,17)", false, false}, {"exact", "exact", false, false},
		{"edges/portable/timer", "portable/timer", true, false}, {"copy", "copy", false, false}}
	if !slices.Equal(samplers, want) {
		t.Errorf("got %v, want %v", samplers, want)
	}
	var built []string
	for _, m := range samplerModes(samplers) {
		built = append(built, m.Name+" "+strings.Join(m.Wrap, " "))
	}
	wantBuilt := []string{"plain ", "exact -mode=exact", "pep(64,17) -mode=sampled -sampler=pep(64,17)",
		"timer -mode=sampled -sampler=timer", "portable/timer -mode=sampled -sampler=timer -backend=portable",
		"copy -mode=sampled -backend=copy"}
	if !slices.Equal(built, wantBuilt) {
		t.Errorf("built %q, want %q", built, wantBuilt)
	}
	for _, list := range []string{"timer timer", "edges/", "plain", "edges/plain", "portable/", "portable/plain"} {
		if samplers, err := parseSamplers(list); err == nil {
			t.Errorf("%q: %v", list, samplers)
		}
	}
	if samplers, err := parseSamplers(allSamplers); err != nil || len(samplers) != 10 {
		t.Errorf("%v, %v", samplers, err)
	}
	x := &Converge{options: options{samplers: "exact timer"}}
	if err := x.Run(nil); err == nil {
		t.Error("converge takes two samplers")
	}
}
