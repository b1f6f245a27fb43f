package agent

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/internal/statefile"
)

// A state is what a Forwarder has handed on. It is in one file, with the batches of the last interval. After a crash the sender
// is given these again, and ignores those that it has by their numbers.
type state struct {
	Version int
	Seq     uint64        // of the last batch
	Sent    []follow.Sent // what the deltas of each run add up to, these batches included
	Pending []pending
}

// stateVersion is that of the file. Another one is not read.
const stateVersion = 1

// A pending batch is one of package push, with its profile encoded.
type pending struct {
	Name     string
	Labels   map[string]string
	Tables   string
	Seq      uint64
	Start    time.Time
	Duration time.Duration
	Profile  []byte
}

// stateName is the file's name in the folder.
const stateName = "agent.state"

// readState reads the state in a folder. Where there is none it begins with a number that is higher than all before: a spool
// may be there all the same.
func readState(dir string, now time.Time) (*state, error) {
	s := &state{Version: stateVersion, Seq: uint64(now.UnixNano())}
	if dir == "" {
		return s, nil
	}
	name := filepath.Join(dir, stateName)
	read := new(state)
	found, err := statefile.Read(name, read)
	switch {
	case errors.Is(err, statefile.ErrDamaged):
		return nil, fmt.Errorf("%s: %w; without this file, all counts of the runs that are there are sent once more", name, err)
	case err != nil:
		return nil, err
	case !found:
		return s, nil
	case read.Version != stateVersion:
		return nil, fmt.Errorf("%s: version %d; this goprofinstr reads version %d", name, read.Version, stateVersion)
	}
	return read, nil
}

// write writes the state, all of it or nothing.
func (s *state) write(dir string) error { return statefile.Write(filepath.Join(dir, stateName), s) }
