//go:build !unix

package follow

import (
	"os"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// open opens a run file. Who has written it is not known here.
func (o *Options) open(name string, _ os.FileInfo) (*os.File, os.FileInfo, error) {
	f, _, err := rundata.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
