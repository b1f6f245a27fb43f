package agent

import (
	"cmp"
	"slices"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Options say what an agent follows.
type Options struct {
	Follow follow.Options

	// Labels are names of labels that leave the machine, as in OTEL_RESOURCE_ATTRIBUTES; nil means some that say what a process is, and
	// not which one.
	Labels []string

	// Say is called with a line about what is wrong with a file, once.
	Say func(line string)
}

// An Agent follows runs. It can be used by several goroutines at the same time.
type Agent struct {
	options Options

	mu       sync.Mutex
	follower *follow.Follower
}

// New returns an agent that has read nothing yet.
func New(o Options) *Agent {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return &Agent{options: o, follower: follow.New(o.Follow)}
}

// A State is what runs have counted until a moment. It does not change.
type State struct {
	runs     []runState
	follower *follow.Follower // of which tables and files can be read at any time
}

// A runState is what one run has counted.
type runState struct {
	run    *follow.Run // which run it is; what it counts goes on
	name   string      // of its file
	now    *tally.Tally
	labels Labels
	start  int64 // Unix time in nanoseconds
	alive  bool

	contexts *rundata.Contexts // nil if there are none, or they were not asked for
}

// Watch looks for runs that have begun or ended. What has ended is known from then on, whatever becomes of its file.
func (a *Agent) Watch() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.say(a.follower.Watch())
}

func (a *Agent) say(changed []*follow.Run) {
	for _, r := range changed {
		if r.Err != nil {
			a.options.Say(r.Err.Error())
		}
	}
}

// Now reads what there is to read.
func (a *Agent) Now() *State {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.say(a.follower.Poll())
	s := &State{follower: a.follower}
	for _, r := range a.follower.Runs() {
		s.runs = append(s.runs, runState{run: r, name: r.Name, now: r.Now, labels: LabelsOf(&r.Run), start: r.Start.UnixNano(), alive: !r.Ended})
	}
	slices.SortStableFunc(s.runs, func(a, b runState) int { return cmp.Compare(b.start, a.start) })
	return s
}

// Of returns the runs of a service; "" is all.
func (s *State) Of(service string) *State {
	if service == "" {
		return s
	}
	of := &State{follower: s.follower}
	for _, r := range s.runs {
		if r.labels.Service() == service {
			of.runs = append(of.runs, r)
		}
	}
	return of
}

// A Service is the runs of one service.
type Service struct {
	Name         string
	Alive, Ended int // processes
}

// Services returns what services there are, by name.
func (s *State) Services() (list []Service) {
	for _, r := range s.runs {
		i := slices.IndexFunc(list, func(l Service) bool { return l.Name == r.labels.Service() })
		if i < 0 {
			i = len(list)
			list = append(list, Service{Name: r.labels.Service()})
		}
		if r.alive {
			list[i].Alive++
		} else {
			list[i].Ended++
		}
	}
	slices.SortFunc(list, func(a, b Service) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// WithContexts returns s with the calling contexts of runs that were sampled, as they are now.
func (s *State) WithContexts() *State {
	with := &State{runs: slices.Clone(s.runs), follower: s.follower}
	for i := range with.runs {
		if r := &with.runs[i]; r.now.Sampled {
			if run, err := s.follower.Read(r.name); err == nil {
				r.contexts = run.Contexts
			}
		}
	}
	return with
}

// Since returns what was counted after an earlier state, by build: the newest build first. Runs with calling contexts have those of that
// time.
func (s *State) Since(before *State) ([]*tally.Tally, error) {
	known := make(map[*follow.Run]*runState)
	for i := range before.runs {
		known[before.runs[i].run] = &before.runs[i]
	}
	var builds []*tally.Tally
	for _, r := range s.runs {
		old := known[r.run]
		if old == nil {
			old = &runState{now: new(tally.Tally)}
		}
		since, err := r.now.Sub(old.now)
		if err != nil {
			return nil, err
		}
		if r.contexts != nil {
			since.Contexts = []*rundata.Contexts{tally.ContextsSince(r.contexts, old.contexts)}
		}
		if err := addTo(&builds, since); err != nil {
			return nil, err
		}
	}
	return builds, nil
}

// addTo adds a tally to the first build that it may be of.
func addTo(builds *[]*tally.Tally, t *tally.Tally) error {
	for _, b := range *builds {
		if b.Agrees(t) {
			return b.Add(t)
		}
	}
	b := new(tally.Tally)
	*builds = append(*builds, b)
	return b.Add(t)
}

// Profiles returns everything that the runs have recorded, by build: the newest build first. The run files are read as a whole.
func (s *State) Profiles() (list []*profile.Profile, err error) {
	for _, runs := range s.builds() {
		p, err := s.follower.Tables().New(runs, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// builds reads the runs, those of one build together. Of a file that is gone, there is what was read of it before.
func (s *State) builds() (builds [][]*rundata.Run) {
	var sums []*tally.Tally
	for _, r := range s.runs {
		run, err := s.follower.Read(r.name)
		if err != nil {
			run = r.now.Run()
		}
		i := slices.IndexFunc(sums, func(t *tally.Tally) bool { return t.Agrees(r.now) })
		if i < 0 {
			i = len(sums)
			sums, builds = append(sums, new(tally.Tally)), append(builds, nil)
		}
		if sums[i].Add(r.now) == nil {
			builds[i] = append(builds[i], run)
		}
	}
	return builds
}
