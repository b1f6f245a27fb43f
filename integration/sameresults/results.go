package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// results has the result of each test by its package and name, of each package, and of the go command.
type results map[string]string

// exitCode is the name of the go command's result.
const exitCode = "exit code"

// What a test has come to besides pass, fail and skip.
const (
	unfinished = "unfinished"
	absent     = "absent" // it was not run
)

// of returns the result of a name.
func (r results) of(name string) string {
	if result, ok := r[name]; ok {
		return result
	}
	return absent
}

// exit notes the go command's exit code.
func (r results) exit(code int) { r[exitCode] = strconv.Itoa(code) }

// packageOf returns the package that a result's name begins with, or "" for the exit code.
func packageOf(name string) string {
	if name == exitCode {
		return ""
	}
	pkg, _, _ := strings.Cut(name, " ")
	return pkg
}

// readResults reads the output of go test -json. Lines of anything else, which a program may print, are left out.
func readResults(out io.Reader) (results, error) {
	r := make(results)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		r.add(line)
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// changing is what differs from run to run in the names of subtests. It is a pointer to data or to code, or a time as
// a syntax tree of Go has it.
var changing = regexp.MustCompile(`0x[0-9a-f]{6,}|time\.Date\([^)]*\)`)

// add takes the result, if there is one, from a line.
func (r results) add(line []byte) {
	if !bytes.HasPrefix(line, []byte("{")) {
		return
	}
	var event struct{ Action, Package, Test string }
	if json.Unmarshal(line, &event) != nil || event.Package == "" {
		return
	}
	name := event.Package
	if event.Test != "" {
		name += " " + changing.ReplaceAllString(event.Test, "…")
	}
	switch event.Action {
	case "run", "start":
		if r[name] != "fail" {
			r[name] = unfinished
		}
	case "pass", "fail", "skip":
		if r[name] != "fail" { // of another test whose name differs in such a place only
			r[name] = event.Action
		}
	}
}
