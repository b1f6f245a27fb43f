package main

import (
	"strings"
	"testing"
)

func TestEval(t *testing.T) {
	tests := []struct {
		src   string
		value int
		err   string // "" for none
	}{
		{"42", 42, ""},
		{"2+3*4", 14, ""},
		{"(2+3)*4", 20, ""},
		{"10-4-3", 3, ""},
		{"100/10/5", 2, ""},
		{"7-2*3+8/4", 3, ""},
		{"--5", 5, ""},
		{"-2*-3", 6, ""},
		{"-(2+3)", -5, ""},
		{strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000), 1, ""},

		{"", 0, "at byte 0: number expected"},
		{"1+", 0, "at byte 2: number expected"},
		{"(1", 0, "at byte 2: missing )"},
		{"1)", 0, "at byte 1: operator expected"},
		{"1 + 2", 0, "at byte 1: operator expected"},
		{"1+2/(3-3)", 0, "at byte 9: division by zero"},
	}
	for _, test := range tests {
		value, err := eval(test.src)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if msg != test.err || err == nil && value != test.value {
			t.Errorf("eval(%q) = %d, %q; want %d, %q", test.src, value, msg, test.value, test.err)
		}
	}
}
