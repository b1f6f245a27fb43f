package main

import (
	"encoding/json"

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
