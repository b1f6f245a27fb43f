//go:build !unix

package profiledir

import (
	"os"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

func openNoLink(name string) (*os.File, error) {
	f, _, err := rundata.Open(name)
	return f, err
}

// check accepts what rundata.Open has opened. Who has written it is not known here.
func (*Trust) check(info, dir os.FileInfo) error { return nil }
