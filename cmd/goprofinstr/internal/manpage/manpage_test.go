package manpage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
)

// TestPage has what roff would take for its own: dots and quotes that begin lines, backslashes, quotes in headings.
func TestPage(t *testing.T) {
	var out string
	page := Page{
		Name: "tool", Version: "v1", Date: "2026-01-02", Short: "do it", About: "One\n.two\n\n\tcode \\n\n\tof\ttwo lines\n\n'three\n",
		Commands: []Command{{
			Name: `a"b`, Synopsis: "tool a [DIR]\ntool a x", About: "A.",
			Flags: flags.Table{Flags: []flags.Flag{
				{Name: "o", Value: "FILE", Var: &out, Usage: "write\n\t.there → x", Verbs: []string{"test"}},
			}},
			Notes: "Notes.", Examples: "tool a   # all",
		}},
		Topics: []Topic{{"words", "w\n"}},
	}
	want := `.TH "TOOL" 1 "2026\-01\-02" "tool v1"
.SH NAME
tool \- do it
.SH SYNOPSIS
.nf
tool a [DIR]
tool a x
.fi
.SH DESCRIPTION
.PP
One
\&.two
.PP
.RS 4
.nf
code \en
of    two lines
.fi
.RE
.PP
\&'three
.SH "tool a\(dqb"
.nf
tool a [DIR]
tool a x
.fi
.PP
A.
.TP
\fB\-o FILE\fR
(for go test)
write
\&.there \[u2192] x
.PP
Notes.
.PP
Examples:
.PP
.RS 4
.nf
tool a   # all
.fi
.RE
.SH "WORDS"
.PP
w
`
	if diff := cmp.Diff(want, page.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
