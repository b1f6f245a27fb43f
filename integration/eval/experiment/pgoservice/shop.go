package pgoservice

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

//go:embed testdata/shop
var sources embed.FS

// newProgram makes the module of the service.
func newProgram(w *lab.Workshop) (*lab.Program, error) {
	p, err := w.NewProgram("shop")
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(sources, "testdata/shop")
	if err != nil {
		return nil, err
	}
	return p, os.CopyFS(p.Dir, files)
}

// A shop is a process of the service.
type shop struct {
	address string
	load    *load
	cmd     *exec.Cmd
	in      io.Closer
	errs    bytes.Buffer
}

// open starts a service.
func open(cmd *exec.Cmd, l *load) (s *shop, err error) {
	s = &shop{load: l, cmd: cmd}
	cmd.Stderr = &s.errs
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if s.address = strings.TrimSpace(line); err != nil {
		return nil, s.close(err)
	}
	return s, nil
}

// close has the service end, and returns the error that there was, or else that of its end.
func (s *shop) close(err error) error {
	s.in.Close()
	s.load.client.CloseIdleConnections()
	if ended := s.cmd.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, lab.LastLines(s.errs.Bytes()))
	}
	return nil
}

// cpu returns the CPU time that the service has had, in ns.
func (s *shop) cpu(ctx context.Context) (float64, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/cpu", nil)
	if err != nil {
		return 0, err
	}
	answer, err := s.load.do(q)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(answer), 64)
}

// A cost is what a request has taken, in ns.
type cost struct{ cpu, time float64 }

// serve has the service answer requests, and returns what one has taken.
func (s *shop) serve(ctx context.Context, list []request) (c cost, err error) {
	before, err := s.cpu(ctx)
	if err != nil {
		return c, err
	}
	took, err := s.load.send(ctx, s.address, connections, list)
	if err != nil {
		return c, err
	}
	after, err := s.cpu(ctx)
	n := float64(len(list))
	return cost{(after - before) / n, float64(took) / n}, err
}
