package main

import (
	"strings"
	"testing"
)

// TestOptions has flags that make sense together, and that do not.
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
		{"-contexts -seconds 1 -trials 2", true},
		{"-contexts -accuracy", false},
		{"-contexts -samplers timer", false},
		{"-wrapcost -n 0", false},
		{"-wrapcost -n 2", true},
		{"-experiment strat -events 100000 -thresholds 500,5,20", true},
		{"-experiment other", false},
		{"-experiment strat -accuracy", false},
		{"-experiment strat -samplers timer", false},
		{"-experiment strat -goprofinstr x", false},
		{"-experiment strat -events 10", false},
		{"-experiment strat -thresholds 500,5", false},
		{"-accuracy more", false},
	} {
		var o options
		if err := o.parse(strings.Fields(test.args)); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.args, err)
		}
	}
}
