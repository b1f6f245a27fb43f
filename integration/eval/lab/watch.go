package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

const (
	// tooLong is the -test.benchtime of what is killed when enough has been seen.
	tooLong = Timeout
	// mostPause bounds how long a process that is waited for is not looked at. With less CPU time than it could have,
	// it gets there later.
	mostPause = time.Second
)

// Watch runs the benchmark's binary of a mode until it has sampled for the last of some CPU times. It
// returns what its run file holds at each of them: a file may be read while its process runs. No number of
// iterations has to be found first, and all parts of a run take equally long.
func (b *Bench) Watch(mode string, at []time.Duration) (runs []*rundata.Run, err error) {
	if err := b.Failed[mode]; err != nil {
		return nil, err
	}
	if err := b.EmptyRunDir(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	cmd := b.Command(ctx, []string{b.Binaries[mode]}, tooLong.String(), b.RunDir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for _, t := range at {
		run, err := b.waitFor(t, ended)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(b.Binaries[mode]), err, LastLines(out.Bytes()))
		}
		runs = append(runs, run)
	}
	cancel()
	<-ended
	return runs, nil
}

// waitFor waits until the run file tells of some CPU time.
func (b *Bench) waitFor(t time.Duration, ended chan error) (*rundata.Run, error) {
	for {
		run, err := b.readRun()
		if err != nil {
			return nil, err
		}
		rest := t
		if run != nil && run.Sampling != nil {
			rest -= run.Sampling.CPU
		}
		if rest <= 0 {
			return run, nil
		}
		pause := min(max(rest/time.Duration(b.Procs), 10*time.Millisecond), mostPause)
		select {
		case err := <-ended:
			return nil, fmt.Errorf("it ended before it had taken %v: %v", t, err)
		case <-time.After(pause):
		}
	}
}

// readRun reads the one run file of the run folder. It returns nil if there is none yet.
func (b *Bench) readRun() (*rundata.Run, error) {
	names := profiledir.Glob(b.RunDir)
	if len(names) == 0 {
		return nil, nil
	}
	run, err := rundata.ReadFile(names[0])
	if errors.Is(err, rundata.ErrEmpty) {
		return nil, nil
	}
	return run, err
}
