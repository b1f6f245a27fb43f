package cli

import (
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/notices"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/version"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var versionCommand = &command{
	name:     "version",
	run:      runVersion,
	short:    "print the version, and the releases of Go that it works with",
	synopsis: `goprofinstr version [-m] [-json] [-licenses]`,
	about: `Version prints which goprofinstr this is, which release of Go has built it, and with which releases it works. What
was built in a working copy has the version of its commit, and (devel) where none is known.`,
	flags: func() flags.Table { return new(versionFlags).table() },
	notes: `Flag -m adds what go version -m prints: the modules in it with their sums, and the commit that it was built from. It
also adds the versions of files that it writes and reads.`,
	examples: `goprofinstr version -m | grep format                    # versions of files
goprofinstr version -json | jq -r .source.revision      # the commit`,
}

// versionFlags are the flags of version.
type versionFlags struct{ modules, json, licenses bool }

func (f *versionFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "m", Var: &f.modules, Usage: "print modules, commit and formats of files, too"},
		{Name: "json", Var: &f.json, Usage: "print all of it as JSON, schema version 1"},
		{Name: "licenses", Var: &f.licenses, Usage: "print the licences of what else is in goprofinstr and its pages"},
	}}
}

func runVersion(c *command, args []string) (int, error) {
	var f versionFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	if fs.NArg() > 0 {
		return 0, usage.Errorf("want no arguments, got %d", fs.NArg())
	}
	if f.licenses && (f.json || f.modules) {
		return 0, usage.Errorf("-licenses prints nothing else; leave out -m and -json")
	}
	info := version.Read()
	switch {
	case f.licenses:
		_, err = io.WriteString(os.Stdout, notices.Text)
	case f.json:
		return 0, show.WriteJSON(os.Stdout, info)
	case f.modules:
		_, err = io.WriteString(os.Stdout, info.Detail())
	default:
		_, err = io.WriteString(os.Stdout, info.Text())
	}
	return 0, err
}
