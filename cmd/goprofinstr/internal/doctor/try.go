package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// program is what is tried: it has work for some ticks, in loops and calls. On a busy machine 300 ms may be little of a
// processor, so there are rounds of a millisecond, too, that it does in any case.
const program = `package main

import (
	"fmt"
	"time"
)

func main() {
	n, began := 0, time.Now()
	for round := 0; round < 100 || time.Since(began) < 300*time.Millisecond; round++ {
		for i := range 10000 {
			n += steps(i)
		}
	}
	fmt.Println(n > 0)
}

func steps(n int) (k int) {
	for ; n > 1; k++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return k
}
`

// try has a program sampled, with native probes if they should work, and says what came of it. Without hooks for that its
// paths are counted.
func try(o Options, hooks *target.Hooks, native bool) (found []Finding) {
	if !hooks.CanSample() {
		return []Finding{counted(profileOf(o, "-mode", "exact"))}
	}
	if native {
		p, err := sample(o, "native")
		switch {
		case err == nil:
			return []Finding{sampled(p), contexts(p), sites(p)}
		case errors.Is(err, errInterrupted):
			return []Finding{interrupted("a program, sampled")}
		}
		found = append(found, Finding{Name: "native, tried", State: No, Text: err.Error() + "; wrap with -backend portable"})
	}
	p, err := sample(o, "portable")
	if err != nil {
		return append(found, Finding{Name: "a program, sampled", State: No, Needed: true, Text: err.Error()})
	}
	return append(found, sampled(p), contexts(p))
}

// sample returns a profile of samples of the program.
func sample(o Options, backend string) (*profile.Profile, error) {
	p, err := profileOf(o, "-mode", "sampled", "-backend", backend)
	if err == nil && (len(p.Runs) == 0 || p.Runs[0].Sampling == nil) {
		err = errors.New("the program has written no samples")
	}
	return p, err
}

// errInterrupted is the error of profileOf if a signal has ended it.
var errInterrupted = errors.New("interrupted")

// interrupted returns what is found if a signal has come.
func interrupted(name string) Finding {
	return Finding{Name: name, State: No, Needed: true, Text: errInterrupted.Error()}
}

// profileOf builds the program, runs it and returns its profile. A signal ends that, and the folder is removed then, too.
func profileOf(o Options, flags ...string) (*profile.Profile, error) {
	dir, err := os.MkdirTemp("", "goprofinstr-doctor-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module example.com/doctor\n\ngo 1.26\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	args := slices.Concat([]string{"wrap"}, flags, []string{"-o", "out", "go", "run"})
	if o.Overlay != nil {
		data, err := json.Marshal(o.Overlay)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o666)
		}
		if err != nil {
			return nil, err
		}
		args = append(args, "-overlay", "overlay.json")
	}
	cmd := exec.Command(o.Self, append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = environ()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	e, err := child.Run(cmd)
	switch {
	case e.Interrupted:
		return nil, errInterrupted
	case err == nil && e.Exit != 0:
		err = fmt.Errorf("exit status %d", e.Exit)
	}
	if err != nil {
		lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
		return nil, fmt.Errorf("%v: %s", err, strings.TrimPrefix(string(lines[len(lines)-1]), "goprofinstr: "))
	}
	p, err := profile.Load(filepath.Join(dir, "out"))
	if err == nil && len(p.Damaged) > 0 {
		err = errors.New(p.Damaged[0].String())
	}
	return p, err
}

// environ returns the environment for the program. The user's flags are for other programs. Where GOFLAGS is empty, the go
// command takes what go env -w has set.
func environ() []string {
	return append(os.Environ(), "GOFLAGS=-buildvcs=auto", "GOWORK=off", "GO111MODULE=on")
}

func counted(p *profile.Profile, err error) Finding {
	f := Finding{Name: "a program, counted", State: OK, Text: "its paths were counted", Needed: true}
	if err == nil && len(p.Runs) == 0 {
		err = errors.New("the program has written no counts")
	}
	if err != nil {
		f.State, f.Text = No, err.Error()
	}
	return f
}

func sampled(p *profile.Profile) Finding {
	f := Finding{Name: "a program, sampled", State: OK, Needed: true}
	s := p.Runs[0].Sampling
	f.Text = fmt.Sprintf("%d ticks and %d samples in %v of CPU time", s.Ticks, s.Samples, s.CPU.Round(1e6))
	if s.Ticks == 0 || s.Samples == 0 {
		f.State = No
		f.Text += ": the profile has a program's first paths at best; use -mode exact"
	}
	return f
}

func contexts(p *profile.Profile) Finding {
	f := Finding{Name: "calling contexts", State: OK, Text: fmt.Sprintf("%d found", p.Runs[0].Sampling.Contexts)}
	if p.Runs[0].Sampling.Contexts == 0 {
		f.State, f.Text = No, "none found: profiles have no callers and no CPU time"
	}
	return f
}

func sites(p *profile.Profile) Finding {
	f := Finding{Name: "native, tried", State: No, Text: "the program has none: wrap with -backend portable"}
	n, samples := 0, int64(0)
	for _, program := range p.Programs {
		for _, s := range program.Sites {
			n++
			samples += s.Samples
		}
	}
	if n == 0 {
		return f
	}
	f.Text = fmt.Sprintf("%d sites and %d samples", n, samples)
	if f.State = OK; samples == 0 {
		f.State = No
		f.Text += ": wrap with -backend portable"
	}
	return f
}
