package agent

import (
	"cmp"
	"slices"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Options say what an agent follows.
type Options struct {
	Follow follow.Options

	// Labels are names of labels that leave the machine, as in OTEL_RESOURCE_ATTRIBUTES; none means some that say what a process
	// is, and not which one.
	Labels []string

	// Say is called with a line about what is wrong with a file, once.
	Say func(line string)
}

// An Agent follows runs. It can be used by several goroutines at the same time.
type Agent struct {
	options Options

	mu       sync.Mutex
	follower *follow.Follower
	gone     []*gone
	seen     map[*follow.Run]seen // for deltas
}

// New returns an agent that has read nothing yet.
func New(o Options) *Agent {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return &Agent{options: o, follower: follow.New(o.Follow), seen: make(map[*follow.Run]seen)}
}

// A State is what runs have counted until a moment. It does not change.
type State struct {
	runs     []runState
	unread   follow.Unread
	follower *follow.Follower // of which tables and files can be read at any time
}

// A runState is what one run has counted.
type runState struct {
	of     any    // the run, or gone runs: tells the same one in other states
	name   string // of its file; "" if it is gone
	now    *tally.Tally
	labels labels.Set
	start  int64 // Unix time in nanoseconds
	alive  bool
	gone   int // how many runs it is the sum of, if they are gone

	contexts *rundata.Contexts // nil if there are none, or they were not asked for
}

// Watch looks for runs that have begun or ended. What has ended is known from then on, whatever becomes of its file.
func (a *Agent) Watch() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.say(a.follower.Watch())
	a.fold(false)
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
	s := &State{follower: a.follower, unread: a.follower.Unread()}
	for _, r := range a.follower.Runs() {
		s.runs = append(s.runs, runState{of: r, name: r.Name, now: r.Now, labels: labels.Of(&r.Run), start: r.Start.UnixNano(),
			alive: !r.Last()})
	}
	for _, g := range a.gone {
		counts := g.counts // as they are now
		s.runs = append(s.runs, runState{of: g, now: &counts, labels: labels.Set{labels.ServiceName: g.service}, start: g.start,
			gone: g.runs})
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
		switch {
		case r.alive:
			list[i].Alive++
		case r.gone > 0:
			list[i].Ended += r.gone
		default:
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
		if r := &with.runs[i]; r.now.Sampled && r.name != "" {
			if run, err := s.follower.Read(r.name); err == nil {
				r.contexts = run.Contexts
			}
		}
	}
	return with
}

// Since returns what was counted after an earlier state, by build: the newest build first. Runs with calling contexts have
// those of that time.
func (s *State) Since(before *State) ([]*tally.Tally, error) {
	known, err := s.match(before)
	if err != nil {
		return nil, err
	}
	var builds []*tally.Tally
	for _, r := range s.runs {
		old := known[r.of]
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

// match returns what runs were in an earlier state. Those that are gone meanwhile have been added to others.
func (s *State) match(before *State) (map[any]*runState, error) {
	known := make(map[any]*runState)
	for i := range before.runs {
		old := before.runs[i] // a copy
		known[old.of] = &old
	}
	now := make(map[any]bool)
	for _, r := range s.runs {
		now[r.of] = true
	}
	for _, old := range before.runs {
		if now[old.of] {
			continue
		}
		for _, r := range s.runs {
			if r.gone == 0 || r.labels.Service() != old.labels.Service() || !r.now.Agrees(old.now) {
				continue
			}
			sum := new(tally.Tally)
			if was := known[r.of]; was != nil {
				*sum = *was.now
			}
			if err := sum.Add(old.now); err != nil {
				return nil, err
			}
			known[r.of] = &runState{now: sum}
			break
		}
	}
	return known, nil
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
	for _, b := range s.builds() {
		p, err := s.follower.Tables().New(b.runs, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// A build is the runs of one build.
type build struct {
	all  *tally.Tally
	runs []*rundata.Run

	// Counts that are no estimates are in one of the runs, as a sum: there may be thousands of runs, of megabytes each.
	sum   *tally.Tally
	sumIn *rundata.Run // nil if there are none
}

// builds reads the runs one after the other, those of one build together. Of a file that is gone, there is what was read of it
// before.
func (s *State) builds() (builds []*build) {
	for _, r := range s.runs {
		run, now := r.now.Run(), r.now
		if r.name != "" {
			if read, err := s.follower.Read(r.name); err == nil {
				run = read
			}
		}
		exact := run.Sampling == nil && run.Stream == nil && run.Uncounted == nil && !now.Sampled
		if exact {
			if counts, err := tally.OfAny(run, s.follower.Tables()); err == nil {
				now = counts // it may have more packages by now
			}
		}
		i := slices.IndexFunc(builds, func(b *build) bool { return b.all.Agrees(now) })
		if i < 0 {
			i = len(builds)
			builds = append(builds, &build{all: new(tally.Tally), sum: new(tally.Tally)})
		}
		builds[i].add(run, now, exact)
	}
	for _, b := range builds {
		if b.sumIn != nil {
			sum := b.sum.Run()
			b.sumIn.Packages, b.sumIn.Names = sum.Packages, sum.Names
		}
	}
	return builds
}

// add adds a run and what it has counted. One with which a sum would have more than 64 bits is left out.
func (b *build) add(run *rundata.Run, now *tally.Tally, exact bool) {
	if b.all.Add(now) != nil {
		return
	}
	b.runs = append(b.runs, run)
	if !exact || b.sum.Add(now) != nil {
		return
	}
	run.Packages, run.Names = nil, nil
	b.sumIn = cmp.Or(b.sumIn, run)
}
