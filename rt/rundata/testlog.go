package rundata

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// ReadTest reads of a run file what tells which test it is of: the header and the log. The run has nothing else.
func ReadTest(name string) (*Run, error) {
	f, size, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &decoder{r: f, size: uint64(max(size, 0)), only: runfile.KindLog}
	d.data = extents(f, d.size)
	d.run.Name = name
	if err := d.header(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := d.records(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &d.run, nil
}
