package main

import (
	"encoding/json"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/cover"
)

// sameStatements is the command `samestatements REPORT PROFILE` of scripts: the report, as JSON, has as many statements
// in all and executed as the coverage profile of go test.
func sameStatements(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samestatements REPORT PROFILE")
	}
	type count struct{ Executed, All int }
	var report struct{ Total struct{ Statements count } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &report))
	files, err := cover.ParseProfiles(ts.MkAbs(args[1]))
	ts.Check(err)
	var want count
	for _, f := range files {
		for _, b := range f.Blocks {
			want.All += b.NumStmt
			if b.Count > 0 {
				want.Executed += b.NumStmt
			}
		}
	}
	if got := report.Total.Statements; got != want || want.Executed == 0 {
		ts.Fatalf("%d of %d statements, want %d of %d", got.Executed, got.All, want.Executed, want.All)
	}
}

// samePercent is the command `samepercent FILE FILE` of scripts: two texts have the same first percentage of statements.
func samePercent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samepercent FILE FILE")
	}
	percent := regexp.MustCompile(`coverage: ([0-9.]+%) of statements`)
	got, want := percent.FindStringSubmatch(ts.ReadFile(args[0])), percent.FindStringSubmatch(ts.ReadFile(args[1]))
	if got == nil || want == nil || got[1] != want[1] {
		ts.Fatalf("%q, want %q", got, want)
	}
}
