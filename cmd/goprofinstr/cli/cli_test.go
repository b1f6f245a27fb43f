package cli

import (
	"strings"
	"testing"
)

// TestUsageErrors has mistakes in command lines: each message names the command once.
func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"frobnicate":              `unknown command "frobnicate"; see goprofinstr help`,
		"help frob":               `no help on "frob"; see goprofinstr help`,
		"help -nosuch":            "help: flag provided but not defined: -nosuch; see goprofinstr help help",
		"wrap -mode foo go test":  `wrap: unknown -mode "foo"; use -mode exact, sampled or stratified`,
		"audit -o= go test":       "audit: -o needs the name of a directory",
		"check -min-path 1":       "check: want one profile directory, got 0 arguments; see goprofinstr help check",
		"report -format foo dir":  `report: unknown format "foo"; want one of conditions, html, json, markdown, text`,
		"merge -o out":            "merge: no profile directories given; see goprofinstr help merge",
		"doctor x":                "doctor: want no arguments, got 1; see goprofinstr help doctor",
		"wrap -kinds-in x go run": "wrap: -kinds-in x: say with -kinds what to count there",
	} {
		if _, err := dispatch(strings.Fields(line)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
