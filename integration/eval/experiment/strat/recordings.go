package strat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/record"
)

// recording is the mode whose programs can record.
var recording = lab.Mode{Name: "recording", Wrap: record.WrapFlags}

// skipped is how many path ends at the beginning are not recorded: STRAT skips what programs do first, too.
// Benchmarks of encoding/json that encode begin with some millions in the decoder.
const skipped = 20_000_000

// recordFor bounds a recording: a program whose paths are long may not get to the end of it.
const recordFor = 5 * time.Minute

// A recorder has the traces of workloads, which are kept below -dir.
type recorder struct {
	*lab.Workshop
	ends   int
	builds map[string]*lab.Build // by package; those that have been needed
}

// trace returns the trace of a workload, which is recorded if it is not there.
func (r *recorder) trace(t *lab.Target, j lab.Job) (*record.Trace, error) {
	name := filepath.Join(r.Dir, "traces", fmt.Sprintf("%s.%d.gz", lab.Flat(j.Name(t.Pkg)), r.ends))
	if _, err := os.Stat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return record.Load(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	b, err := r.built(t)
	if err != nil {
		return nil, err
	}
	trace, err := recordTrace(r.Bench(b, t, j), filepath.Join(r.Scratch, "recording"), r.ends, skipped, "1000000000x")
	if err != nil {
		return nil, err
	}
	return trace, trace.Save(name)
}

// built builds a target so that it can record.
func (r *recorder) built(t *lab.Target) (*lab.Build, error) {
	if b := r.builds[t.Pkg]; b != nil {
		return b, b.Failed[recording.Name]
	}
	if r.Goprofinstr == "" {
		var err error
		if r.Goprofinstr, err = record.Build(r.Scratch); err != nil {
			return nil, err
		}
	}
	b, err := r.Workshop.Build(t)
	if err != nil {
		return nil, err
	}
	r.builds[t.Pkg] = b
	return b, b.Failed[recording.Name]
}

// recordTrace runs a benchmark for as many path ends after those that are skipped, or to its end, with a file
// that is overwritten.
func recordTrace(b *lab.Bench, name string, ends, skip int, benchtime string) (*record.Trace, error) {
	p, _, err := b.Profile(recording.Name, 1) // for the path tables
	if err != nil {
		return nil, err
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer os.Remove(name)
	err = errors.Join(f.Truncate(int64(ends)*record.EventBytes), f.Close())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordFor)
	defer cancel()
	program := b.Binaries[recording.Name]
	cmd := b.Command(ctx, []string{program}, benchtime, "")
	cmd.Env = append(cmd.Env, "GOPROFINSTR_RECORD="+name, "GOPROFINSTR_RECORD_EVENTS="+strconv.Itoa(ends),
		"GOPROFINSTR_RECORD_SKIP="+strconv.Itoa(skip))
	if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%s: %v\n%s", filepath.Base(program), err, lab.LastLines(out))
	}
	return record.Read(name, program, p)
}
