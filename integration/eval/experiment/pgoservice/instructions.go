package pgoservice

import (
	"context"
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

// counted is how many requests of a kind are served in callgrind, where one takes fifty times as long.
const counted = 2 * bodies

// count counts the instructions that a mode takes for a request of each kind, and adds them to the table.
func (x *Experiment) count(ctx context.Context, p *lab.Program, l *load, mode string, t *tables) error {
	for kind := range kinds {
		few, err := x.instructions(ctx, p, l, mode, ofKind(kind, counted))
		if err != nil {
			return err
		}
		// What is done once, at the beginning and the end, is not in the difference.
		many, err := x.instructions(ctx, p, l, mode, ofKind(kind, 3*counted))
		if err == nil && many <= few {
			err = fmt.Errorf("%s: %.0f instructions for %d requests, and %.0f for three times as many", mode, few, counted, many)
		}
		if err != nil {
			return err
		}
		t.instructions.Rows[kind].Add(mode, (many-few)/(2*counted), nil)
	}
	return nil
}

// instructions returns how many instructions the service has executed from its start to its end, with some requests.
func (x *Experiment) instructions(ctx context.Context, p *lab.Program, l *load, mode string, list []request) (float64, error) {
	cmd, dir, err := p.Command(ctx, binaryOf(mode))
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := lab.UnderCallgrind(x.withProcs(cmd)); err != nil {
		return 0, err
	}
	s, err := open(cmd, l)
	if err != nil {
		return 0, err
	}
	_, err = l.send(ctx, s.address, 1, list)
	if err := s.close(err); err != nil {
		return 0, err
	}
	return lab.ParseInstructions(s.errs.Bytes())
}
