package service

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

//go:embed testdata/service/main.go
var source []byte

// newService makes the module of the service.
func newService(w *lab.Workshop) (*lab.Program, error) {
	p, err := w.NewProgram("service")
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(filepath.Join(p.Dir, "main.go"), source, 0o666)
}

// A measured is what the service says of one kind of requests: how often it served them, and in which CPU time.
type measured [2]float64

// perCall returns the CPU time of a call, in ns.
func (m measured) perCall() float64 {
	if m[0] == 0 {
		return 0
	}
	return m[1] / m[0]
}

// A run is what came of a run of the service.
type run struct {
	answered map[string]int      // by kind, as the generator counted
	own      map[string]measured // by kind, as the service did
	profile  *profile.Profile
}

// serve runs the service of a mode, with the generator, and reads its profile.
func serve(p *lab.Program, m *lab.Mode, seconds float64) (*run, error) {
	// Three times as long as it should take, for services that are slow, and a minute for the slowest machine.
	limit := time.Duration(3*seconds*float64(time.Second)) + time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd, runDir, err := p.Command(ctx, m)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(runDir)
	r := new(run)
	if err := r.during(ctx, cmd, seconds); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	r.profile, err = profile.Load(runDir)
	return r, err
}

// during starts the service, sends it requests, and has it end.
func (r *run) during(ctx context.Context, cmd *exec.Cmd, seconds float64) error {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	address, err := lines.ReadString('\n')
	if err == nil {
		r.answered, err = generate(ctx, strings.TrimSpace(address), seconds)
	}
	in.Close() // by which it ends
	if err == nil {
		err = json.NewDecoder(lines).Decode(&r.own)
	}
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, lab.LastLines(errs.Bytes()))
	}
	return nil
}
