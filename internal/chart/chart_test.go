package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestWrite draws charts of hostile names, of nothing, and of what failed: all of them are well-formed.
func TestWrite(t *testing.T) {
	const hostile = `<script>"&'`
	ten := Scale{Least: 1, Most: 10, Log: true, Ticks: []float64{1, 10}}
	failed := Interval{Value: math.NaN()}
	bars := &Bars{Title: hostile, Columns: []string{hostile, "b"}, Scale: ten, Base: 1,
		Groups: []Group{{Name: hostile, Values: []Interval{{2, 1, 3}, failed}}}}
	lines := &Lines{Title: hostile, Across: ten, Up: ten, X: []Label{{2, hostile}}, Y: []Label{{1, "1"}},
		Lines: []Line{{Name: hostile, Points: [][2]float64{{1, 2}, {10, 0}}}, {Name: "bold", Bold: true}}}
	panels := Panels{
		{Title: hostile, Text: hostile, Scale: &ten, Format: func(v float64) string { return fmt.Sprint(v) },
			Margin:      0.01,
			Series:      []Series{{hostile, []float64{0.5, 1, 2, 100}, 2}, {"empty", nil, 0}},
			Differences: []Difference{{hostile, true, Interval{0.1, 0, 0.2}}, {Text: "unknown"}}},
		{Title: "nothing"},
	}
	for name, write := range map[string]func(io.Writer) error{
		"bars": bars.Write, "no bars": new(Bars).Write, "lines": lines.Write, "no lines": new(Lines).Write,
		"panels": panels.Write, "no panels": Panels{}.Write,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []string{"<script>", "NaN", "Inf"} {
			if strings.Contains(b.String(), wrong) {
				t.Errorf("%s has %s:\n%s", name, wrong, &b)
			}
		}
		for d := xml.NewDecoder(&b); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestPosition(t *testing.T) {
	for _, test := range []struct {
		s       Scale
		v, want float64
	}{
		{Scale{Least: 1, Most: 100, Log: true}, 10, 0.5},
		{Scale{Least: 1, Most: 100, Log: true}, -1, 0},
		{Scale{Least: -1, Most: 1}, 0.5, 0.75},
		{Scale{Least: -1, Most: 1}, -2, 0},
	} {
		if got := test.s.Position(test.v); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%+v, %v: %v, want %v", test.s, test.v, got, test.want)
		}
	}
}

func TestRoundTicks(t *testing.T) {
	for _, test := range []struct {
		s    Scale
		want []float64
	}{
		{Scale{Least: 3, Most: 60, Log: true}, []float64{5, 10, 20, 50}},
		{Scale{Least: 7.9, Most: 8.4}, []float64{7.9, 8, 8.1, 8.2, 8.3, 8.4}},
	} {
		var got []float64
		for _, v := range test.s.RoundTicks() {
			got = append(got, math.Round(v*1e9)/1e9)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.s, got, test.want)
		}
	}
	s := RoundScale(0.3, 7)
	if want := []float64{0.2, 0.5, 1, 2, 5, 10}; s.Least != 0.2 || s.Most != 10 || !slices.Equal(s.Ticks, want) {
		t.Errorf("%+v, want %v", s, want)
	}
}

// TestColours holds that there are twice as many as the palette has, and none twice.
func TestColours(t *testing.T) {
	seen := make(map[string]bool)
	for i := range 16 {
		seen[colour(i)] = true
	}
	if len(seen) != 16 || colour(24) != colour(8) {
		t.Errorf("%d colours", len(seen))
	}
}
