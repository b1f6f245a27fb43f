package alone

import (
	"bytes"
	"io"
)

// What a test binary says at its end: noTests on standard error, and the result, behind a marker if a program reads it.
const (
	marker  = "\x16"
	pass    = "PASS\n"
	fail    = "FAIL\n"
	noTests = "testing: warning: no tests to run\n"
)

// mostEnd is what is held back of an output: all that a binary says at its end.
const mostEnd = len(noTests) + len(marker) + len(fail)

// An output passes on what a process prints but for its result, which the go command expects once.
type output struct {
	to   io.Writer
	rest []byte // that may be the result
}

// Write passes on all but the last bytes.
func (o *output) Write(p []byte) (int, error) {
	o.rest = append(o.rest, p...)
	n := len(o.rest) - mostEnd
	if n <= 0 {
		return len(p), nil
	}
	_, err := o.to.Write(o.rest[:n])
	o.rest = append(o.rest[:0], o.rest[n:]...)
	return len(p), err
}

// end passes on what is left, and returns what the process has said at its end: noTests or "", and the marker if there was one.
func (o *output) end() (said, prefix string) {
	for _, result := range []string{pass, fail} {
		rest, ok := bytes.CutSuffix(o.rest, []byte(result))
		if !ok || len(rest) > 0 && rest[len(rest)-1] != '\n' && rest[len(rest)-1] != marker[0] {
			continue
		}
		if before, ok := bytes.CutSuffix(rest, []byte(marker)); ok {
			rest, prefix = before, marker
		}
		o.rest = rest
		break
	}
	if rest, ok := bytes.CutSuffix(o.rest, []byte(noTests)); ok {
		o.rest, said = rest, noTests
	}
	o.to.Write(o.rest)
	o.rest = nil
	return said, prefix
}
