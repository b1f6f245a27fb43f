package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestArguments has command lines that make no sense; all are refused before anything runs.
func TestArguments(t *testing.T) {
	for _, args := range []string{
		"",
		"other",
		"-n 3",
		"show",
		"show absent.json",
		"show a.json b.json",
		"show -n 3 a.json",
		"time -run (",
		"time -runtime 0s",
		"time -n -1",
		"time -samplers timer",
		"accuracy -callgrind",
		"accuracy -modes exact",
		"accuracy -trials 0",
		"accuracy -seconds 0",
		"accuracy more",
		"converge -quick",
		"converge -trials 0",
		"converge -seconds 1",
		"scale -seconds 0",
		"scale -load -1",
		"scale -samplers edges/exact",
		"callers -runs 0",
		"callers -backends other",
		"service -seconds 0",
		"service -backends other",
		"intervals -trials 0",
		"intervals -seconds 0",
		"contexts -samplers timer",
		"contexts -seconds 0",
		"select",
		"select -n 0 -repositories x",
		"wrapcost -n 0",
		"wrapcost -callgrind",
		"pgo -buildtimes 1",
		"pgo-service -n -1",
		"pgo-service -modes plain",
		"strat -samplers timer",
		"strat -goprofinstr x",
		"strat -events 10",
		"strat -thresholds 500,5",
		"audit -audits -1",
		"audit-accuracy -run x",
		"audit-convergence -seconds 0",
		"audit-base -loads x",
		"audit-equal -copies x",
		"audit-base -rounds 0",
		"audit-equal -run nothing",
		"wrapcost -json absent/f",
	} {
		if ok, err := run(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q: %t", args, ok)
		}
	}
}

// TestFlags has command lines that make sense.
func TestFlags(t *testing.T) {
	for _, args := range []string{
		"time -n 0 -callgrind -modes exact -buildtimes 2 -json f -svg f",
		"accuracy -trials 3 -seconds 0.5 -run x",
		"converge -samplers exact",
		"scale -load 10 -trials 3 -seconds 0.5 -run x",
		"callers -runs 3 -seconds 0.5 -backends native,portable",
		"service -seconds 5 -backends native -load 10",
		"intervals -trials 2 -seconds 1 -run x",
		"contexts -seconds 1 -trials 2",
		"strat -events 100000 -thresholds 500,5,20",
		"pgo -callgrind -modes pgo-paths,pgo-both,pgo-contexts",
		"pgo-service -n 3 -callgrind -requests 10 -profiled 10 -procs 2 -modes cpu,counts,counts+cpu,contexts -quick",
		"audit -decisions 0 -audits 3",
		"audit-accuracy -seconds 1",
		"audit-convergence -seconds 1",
		"wrapcost -n 2 -dir d",
	} {
		words := strings.Fields(args)
		x := newExperiment(words[0])
		o, err := parseFlags(words, x.Declare)
		if err != nil || x.Check() != nil || len(o.rest) > 0 {
			t.Errorf("%s: %v, %v, %v", args, err, x.Check(), o.rest)
		}
	}
}

// TestShow shows a file, and writes it once more.
func TestShow(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.json"), filepath.Join(dir, "second.json")
	if err := os.WriteFile(first, []byte(`{"Options": "time", "Measures": []}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	ok, err := run([]string{"show", "-json", second, first}, &out)
	if !ok || err != nil || !strings.Contains(out.String(), "eval time") {
		t.Errorf("%t, %v\n%s", ok, err, &out)
	}
	if _, err := result.Read(second); err != nil {
		t.Error(err)
	}
	out.Reset()
	_, err = run([]string{"show", "-json", filepath.Join(dir, "absent", "f"), first}, &out)
	if err == nil || !strings.Contains(out.String(), "eval time") {
		t.Errorf("what cannot be written: %v\n%s", err, &out)
	}
}
