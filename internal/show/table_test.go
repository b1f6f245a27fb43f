package show

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
)

func written(t *testing.T, table *Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	for _, test := range []struct {
		table Table
		want  string
	}{
		{Table{Left: 1}, "package             n\nexample.com/m/lex  12\nm                   3\n"},
		{Table{Left: 1, Fit: 12}, "package    n\n…/m/lex   12\nm          3\n"},
		{Table{Left: 2, Indent: 1, Gap: 1}, " package           n\n example.com/m/lex 12\n m                 3\n"},
		{Table{Left: 1, Least: []int{20, 3}}, "package                 n\nexample.com/m/lex      12\nm                       3\n"},
	} {
		for _, row := range [][]string{{"package", "n"}, {"example.com/m/lex", "12"}, {"m", "3"}} {
			test.table.Row(row...)
		}
		if got := written(t, &test.table); got != test.want {
			t.Errorf("%+v:\n%s\nwant\n%s", test.table, got, test.want)
		}
	}
	if got := written(t, &Table{}); got != "" {
		t.Errorf("%q of no rows", got)
	}
}

// TestTabwriter holds tables whose columns are all flush left against those of text/tabwriter.
func TestTabwriter(t *testing.T) {
	rows := [][]string{{"suite", "exact", "sampled"}, {"µs", "1.120 [1.1, 1.2]", ""}, {"", "", "1"}, {"geometric mean", "", "no mean"}}
	table := &Table{Left: 3}
	var want strings.Builder
	tw := tabwriter.NewWriter(&want, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		table.Row(row...)
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	tw.Flush()
	if got := written(t, table); got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, &want)
	}
}
