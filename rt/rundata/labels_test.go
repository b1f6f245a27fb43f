package rundata

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

func TestLabels(t *testing.T) {
	const text = "checkouthost.name=h1"
	for _, test := range []struct {
		name                string
		service, attributes uint64 // lengths
		errorContains       string
	}{
		{"both", 8, 12, ""},
		{"none", 0, 0, ""},
		{"service too long", page, 0, "a service of 4096 bytes"},
		{"together too long", page - 56 - 8, 9, "attributes of 9 in a record of 4096"},
		{"overflow", 8, 1<<64 - 4, "a service of 8 bytes"},
	} {
		b := v1(t)
		at := len(b)
		b = appendRecord(b, 1, runfile.RecordMagic, runfile.KindLabels, page, 0, 0, test.service, test.attributes)
		copy(b[at+56:], text)
		run, err := read(b)
		switch {
		case test.errorContains != "":
			if err == nil || !strings.Contains(err.Error(), test.errorContains) {
				t.Errorf("%s: %v", test.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case run.Service != text[:test.service] || run.Attributes != text[test.service:test.service+test.attributes]:
			t.Errorf("%s: %q, %q", test.name, run.Service, run.Attributes)
		}
	}
}
