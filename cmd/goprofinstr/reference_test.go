package main

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/cli"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md anew")

// TestReference holds the page of the repository against what the command writes.
func TestReference(t *testing.T) {
	const name = "../../docs/reference/commands.md"
	want := cli.Reference()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page), want); diff != "" {
		t.Errorf("%s is not what goprofinstr help -markdown writes; "+
			"go test ./cmd/goprofinstr -run Reference -update (-page +command):\n%s", name, diff)
	}
}
