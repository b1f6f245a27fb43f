package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSamplers(t *testing.T) {
	samplers, err := parseSamplers(" edges/pep(64,17)  timer pep(64,17) exact")
	if err != nil {
		t.Fatal(err)
	}
	want := []sampler{{"edges/pep(64,17)", "pep(64,17)", true}, {"timer", "timer", false}, {"pep(64,17)", "pep(64,17)", false}, {"exact", "exact", false}}
	if !slices.Equal(samplers, want) {
		t.Errorf("got %v, want %v", samplers, want)
	}
	var built []string
	for _, m := range samplerModes(samplers) {
		built = append(built, m.name+" "+strings.Join(m.wrap, " "))
	}
	wantBuilt := []string{"plain ", "exact -mode=exact", "pep(64,17) -mode=sampled -sampler=pep(64,17)", "timer -mode=sampled -sampler=timer"}
	if !slices.Equal(built, wantBuilt) {
		t.Errorf("built %q, want %q", built, wantBuilt)
	}
	for _, list := range []string{"timer timer", "edges/", "plain", "edges/plain"} {
		if samplers, err := parseSamplers(list); err == nil {
			t.Errorf("%q: %v", list, samplers)
		}
	}
	if samplers, err := parseSamplers(allSamplers); err != nil || len(samplers) != 7 {
		t.Errorf("%v, %v", samplers, err)
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		args string
		ok   bool
	}{
		{"-accuracy -trials 3 -seconds 0.5 -run x -svg f -json f", true},
		{"-converge -samplers exact", true},
		{"-accuracy -converge", false},
		{"-accuracy -callgrind", false},
		{"-accuracy -modes exact", false},
		{"-converge -quick", false},
		{"-accuracy -wrapcost", false},
		{"-accuracy -trials 0", false},
		{"-accuracy -seconds 0", false},
		{"-samplers timer", false},
		{"-wrapcost -n 0", false},
		{"-wrapcost -n 2", true},
		{"-accuracy more", false},
	} {
		var o options
		if err := o.parse(strings.Fields(test.args)); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.args, err)
		}
	}
	o := options{converge: true, samplers: "exact timer"}
	if samplers, err := o.samplersToCompare(); err == nil {
		t.Errorf("-converge with %v", samplers)
	}
}
