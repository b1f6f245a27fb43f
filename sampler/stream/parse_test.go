package stream

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Spec{
		"P256":               {Sampler: Sampler{Kind: KindPeriodic, Rate: 256}},
		"S1":                 {Sampler: Sampler{Kind: KindStart, Rate: 1}},
		"F7":                 {Sampler: Sampler{Kind: KindFirst, Rate: 7}},
		"R1073741824":        {Sampler: Sampler{Kind: KindRandom, Rate: MostRate}},
		"B10":                {Sampler: Sampler{Kind: KindBlock, Rate: 10}},
		"D10":                {Sampler: Sampler{Kind: KindCountdown, Rate: 10}},
		"CR256":              {Sampler: Sampler{Kind: KindRandom, Counted: true, Rate: 256}},
		"CD7+A1":             {Sampler: Sampler{Kind: KindCountdown, Counted: true, Rate: 7}, Table: 1},
		"H[P256]2048":        {Sampler: Sampler{Kind: KindPeriodic, Rate: 256}, Bits: 11},
		"H[S256]2048+A16":    {Sampler: Sampler{Kind: KindStart, Rate: 256}, Bits: 11, Table: 16},
		"Hx[CR3]2":           {Sampler: Sampler{Kind: KindRandom, Counted: true, Rate: 3}, Bits: 1, Fold: true},
		"T2[P256]2048+A16":   {Sampler: Sampler{Kind: KindPeriodic, Rate: 256}, Bits: 11, TagBits: 2, Table: 16},
		"T16[P4]1048576+A64": {Sampler: Sampler{Kind: KindPeriodic, Rate: 4}, Bits: 20, TagBits: 16, Table: 64},
		"A16":                {Table: 16},
	} {
		s, err := Parse(text)
		if err != nil || s != want {
			t.Errorf("%s: %+v, %v; want %+v", text, s, err, want)
		}
		if s.String() != text {
			t.Errorf("%s is written %s", text, s)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                      `sampler "", column 1: want P, S, F, B, R, D, CR, CD, H, T or A`,
		"pep(64,17)":            "column 1: want P, S",
		"P":                     "column 2: want a rate, 1 to 1073741824",
		"P0":                    "column 2: want a rate",
		"P08":                   "column 2: want a rate",
		"P1073741825":           "column 2: want a rate",
		"P99999999999999999999": "column 2: want a rate",
		"CP256":                 "column 2: want R or D after C",
		"P256,":                 "column 5: want + or the end",
		"P256+":                 "column 6: want A and the tuples of a table",
		"P256+P2":               "column 6: want A",
		"P256+A":                "column 7: want tuples of a table, 1 to 64",
		"P256+A65":              "column 7: want tuples of a table",
		"A16+A16":               "column 4: want + or the end",
		"H2048":                 "column 2: want a sampler in brackets",
		"H[2048":                "column 3: want P, S",
		"H[P256":                "column 7: want ]",
		"H[P256]":               "column 8: want a number of strata, 2 to 1048576",
		"H[P256]1":              "column 8: want a number of strata",
		"H[P256]2000":           "column 8: 2000 is no power of two; there is 2048",
		"H[H[P2]2]2":            "column 3: want P, S",
		"T[P256]2048":           "column 2: want bits of a tag, 1 to 16",
		"T2[R256]2048":          "column 4: want P and a count",
		"T2[P256]2":             "column 9: want a number of strata, 4 to 1048576",
		"T17[P256]2048":         "column 2: want bits of a tag",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("H[P256]2048+A16")
	f.Add("T2[P256]2048")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse(text); err == nil && s.String() != text {
			t.Errorf("%q is written %q", text, s)
		}
	})
}
