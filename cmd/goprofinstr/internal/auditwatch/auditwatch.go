// Package auditwatch decides audits while programs run: it follows their run files, takes the timings to trials,
// tells the programs which version is the better one, and reports what was found.
package auditwatch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// watchEvery is how often the run files are looked at. A ring lasts for 65,536 timings, 6 ms at 100 ns each; what
// is lost beyond that is lost for all versions alike, and the functions that lose are those that have timings in
// plenty.
const watchEvery = 5 * time.Millisecond

// watchAtLeast is how long a function is timed at least, for a verdict not to be that of one moment: a thousand
// timings may be over in a millisecond, while a processor is shared, warming up or slowed down for tens of those.
const watchAtLeast = 500 * time.Millisecond

// watchWhenLate is how long a function is timed if the time for all is over. A gate that has measured nothing, because
// the machine took long to build, would be none.
const watchWhenLate = 5 * time.Second

// Options say when a function is decided.
type Options struct {
	Confidence float64       // how sure to be, below 1
	Margin     float64       // the least difference that matters, as a share
	MaxTime    time.Duration // how long a function is timed at most; 0 for no limit
	Stop       bool          // programs are ended when all is decided
	Base       *audit.Base   // whose functions are the second versions; nil for others
	Until      time.Time     // from when on functions are open that have been timed for long enough; zero for no limit
	Functions  []string      // that are audited: programs are ended after Until when all of them are decided, or open
}

// A Watcher reads the timings of running programs, decides, and tells the programs.
type Watcher struct {
	dir       string
	options   Options
	followed  map[string]*rundata.Follower // by file name
	bad       map[string]bool              // files that are not to be read
	apart     map[*rundata.Audit]bool      // left out, since others have other versions
	functions map[string]*auditedFunction
	order     []*auditedFunction
	done      chan bool
	ended     chan bool
	live      bool // programs are running
	stopped   bool // by us
	over      chan struct{}
}

// An auditedFunction is a function in all programs that have it.
type auditedFunction struct {
	name    string
	trial   trial
	laps    *verdict.Laps // the same, if it is a timing point in a loop
	loops   []*auditedFunction
	of      *auditedFunction // with this loop
	first   *rundata.Audit   // for the clock
	copies  copies
	in      []*rundata.Audit
	began   time.Time
	decided time.Duration // after began; 0 if it is not
	settled int           // version that all calls get; -1 before that
}

// New returns a watcher of the run files in a folder.
func New(dir string, o Options) *Watcher {
	return &Watcher{
		dir:       dir,
		options:   o,
		followed:  make(map[string]*rundata.Follower),
		bad:       make(map[string]bool),
		apart:     make(map[*rundata.Audit]bool),
		functions: make(map[string]*auditedFunction),
		done:      make(chan bool),
		ended:     make(chan bool),
		over:      make(chan struct{}),
	}
}

// Start begins to watch.
func (w *Watcher) Start() {
	w.live = true
	go func() {
		defer close(w.ended)
		for {
			select {
			case <-w.done:
				return
			case <-time.After(watchEvery):
				w.look(false)
			}
		}
	}()
}

// Finish reads what is left when the programs have ended. It reports whether they were told to.
func (w *Watcher) Finish() (stopped bool) {
	if w.live {
		close(w.done)
		<-w.ended
		w.live = false
	}
	w.look(true)
	for _, f := range w.followed {
		f.Close()
	}
	return w.stopped
}

// Runs returns how many programs were watched.
func (w *Watcher) Runs() int { return len(w.followed) }

// look takes new timings to their trials, and decides.
func (w *Watcher) look(ended bool) {
	for _, name := range profiledir.Glob(w.dir) {
		if w.followed[name] == nil && !w.bad[name] {
			if f, err := rundata.Follow(name); err == nil {
				w.followed[name] = f
			}
		}
		if f := w.followed[name]; f != nil {
			if err := w.follow(name, f, ended); err != nil {
				say("%v", err)
				f.Close()
				delete(w.followed, name)
				w.bad[name] = true
			}
		}
	}
	for _, f := range w.order {
		w.decide(f)
	}
	w.stopAll()
}

// follow reads what is new in one run file.
func (w *Watcher) follow(name string, f *rundata.Follower, ended bool) error {
	known := len(f.Audits)
	if err := f.Poll(); err != nil {
		return err
	}
	var apart []string
	for _, a := range f.Audits[known:] {
		if !w.join(a) {
			w.apart[a], apart = true, append(apart, a.Function)
		}
	}
	if len(apart) > 0 {
		say("%s is left out for %s: other run files have other versions; keep those of each build in a directory of its own",
			name, strings.Join(apart, ", "))
	}
	for _, a := range f.Audits {
		if w.apart[a] {
			continue
		}
		if err := w.functions[a.Function].drain(a, ended); err != nil {
			return err
		}
	}
	return nil
}

// join adds a function of a program to those of the same name in others. It is false if these have other versions: they are of
// another build, and so are the loops of the function.
func (w *Watcher) join(a *rundata.Audit) bool {
	fn := w.functions[a.Function]
	known := fn
	if known == nil && a.Loop {
		known = w.functions[a.Of]
	}
	if known != nil && !slices.Equal(a.Versions, known.first.Versions) {
		return false
	}
	if fn == nil {
		o := verdict.Defaults(a.Least * a.Nanosecond)
		o.Confidence, o.Margin = w.options.Confidence, w.options.Margin
		fn = &auditedFunction{name: a.Function, first: a, copies: copiesOf(a.Versions), settled: -1}
		o.Copies = fn.copies.number()
		if a.Loop {
			fn.laps = verdict.NewLaps(len(fn.copies.names), o)
			fn.trial = fn.laps
			w.joinLoop(fn)
		} else {
			fn.trial = verdict.New(len(fn.copies.names), o)
		}
		w.functions[a.Function] = fn
		w.order = append(w.order, fn)
	}
	fn.in = append(fn.in, a)
	if fn.settled >= 0 {
		fn.settle(a)
	}
	return true
}

// decide settles on a version when it is known which is best, or time is over.
func (w *Watcher) decide(f *auditedFunction) {
	if f.settled >= 0 || f.began.IsZero() {
		return
	}
	since := time.Since(f.began)
	switch {
	case w.live && since < watchAtLeast:
		return
	case w.known(f):
		f.decided, f.settled = since, f.trial.Result().Best
	case w.live && w.isOver(since):
		f.settled = 0
	default:
		return
	}
	if !w.live {
		return
	}
	f.settleOn(f.settled)
	found := f.found()
	if w.options.Base != nil {
		found.Judge(w.options.Base)
	}
	say("%s: %s", f.name, found.Verdict(w.options.Confidence))
	w.agree(f)
}

// isOver reports whether a function that has been timed for so long has no time left.
func (w *Watcher) isOver(since time.Duration) bool {
	return w.options.MaxTime > 0 && since >= w.options.MaxTime || w.isLate() && since >= watchWhenLate
}

// isLate reports whether the time for all functions is over.
func (w *Watcher) isLate() bool {
	return !w.options.Until.IsZero() && time.Now().After(w.options.Until)
}

// known reports whether there is a verdict, and on which side of the limit of a base it is.
func (w *Watcher) known(f *auditedFunction) bool {
	if !f.trial.Decided() {
		return false
	}
	b := w.options.Base
	if b == nil || b.Limit == 0 {
		return true
	}
	change := audit.ChangeOf(f.trial.Result().Pairs[0])
	return change.Limited(b.Limit)
}

// say tells the user something while programs run, which may have written half a line.
func say(format string, args ...any) {
	progress.Above(os.Stderr, "goprofinstr: "+fmt.Sprintf(format, args...))
}

// settle tells a program which version to call.
func (f *auditedFunction) settle(a *rundata.Audit) {
	if err := a.Settle(f.copies.first(f.settled)); err != nil {
		say("%s goes on being timed: %v", f.name, err)
	}
}

// stopAll ends the programs if that is asked for and nothing is open.
func (w *Watcher) stopAll() {
	if !w.live || w.stopped {
		return
	}
	switch {
	case w.isLate() && w.allSettled():
		say("-budget: the time is over, and the command ends; functions that are not decided are open")
	case !w.options.Stop || !w.nothingOpen():
		return
	}
	w.stopped = true
	close(w.over)
	for _, f := range w.followed {
		if f.Ended() {
			continue
		}
		if p, err := os.FindProcess(f.Pid); err == nil {
			p.Signal(os.Interrupt)
		}
	}
}

// nothingOpen reports whether all that is audited is settled, and so are all loops that are timed.
func (w *Watcher) nothingOpen() bool {
	isOpen := func(f *auditedFunction) bool { return f.settled < 0 && !f.began.IsZero() }
	return w.allSettled() && !slices.ContainsFunc(w.order, isOpen)
}

// allSettled reports whether all that is audited is settled. What has not been called is not, for what comes may call it. Of a
// function that does not return a loop is.
func (w *Watcher) allSettled() bool {
	isSettled := func(f *auditedFunction) bool { return f.settled >= 0 }
	return len(w.options.Functions) > 0 && !slices.ContainsFunc(w.options.Functions, func(name string) bool {
		f := w.functions[name]
		return f == nil || !isSettled(f) && !(f.began.IsZero() && slices.ContainsFunc(f.loops, isSettled))
	})
}

// Over returns a channel that is closed when programs are told to end, which the go command should be, too: it would start
// others.
func (w *Watcher) Over() <-chan struct{} { return w.over }

// Report returns what was found about these functions, and nil means all there are.
func (w *Watcher) Report(wanted []rewrite.AuditedFunction) *audit.Report {
	r := &audit.Report{Confidence: w.options.Confidence}
	if wanted == nil {
		for _, f := range w.order {
			if f.of == nil {
				r.Functions = append(r.Functions, f.foundAll()...)
			}
		}
		return r
	}
	for i := range wanted {
		r.Functions = append(r.Functions, w.about(&wanted[i])...)
	}
	return r
}

// about returns what was found about a function and its loops, with where its versions are.
func (w *Watcher) about(wanted *rewrite.AuditedFunction) []audit.Function {
	found := audit.Function{Name: wanted.Name, Outcome: verdict.Undecided}
	var names []string
	for _, v := range wanted.Versions {
		names = append(names, v.Name)
	}
	copies := copiesOf(names)
	for _, name := range copies.names {
		found.Versions = append(found.Versions, audit.Version{Name: name})
	}
	all := []audit.Function{found}
	if f := w.functions[found.Name]; f != nil {
		all = f.foundAll()
	}
	for _, found := range all {
		for j := range found.Versions {
			v := wanted.Versions[copies.first(j)]
			found.Versions[j].File, found.Versions[j].Line = v.File, v.Line
		}
	}
	for _, l := range wanted.Loops {
		if l.Refused != "" {
			all[0].Untimed = append(all[0].Untimed, fmt.Sprintf("the loop at line %d is not timed: %s", l.Line, l.Refused))
		}
	}
	return all
}

// found returns what was found about a function.
func (f *auditedFunction) found() audit.Function {
	result := f.trial.Result()
	tick := 1 / f.first.Nanosecond
	if f.laps != nil {
		tick /= float64(max(f.laps.Passes(), 1)) // a pass, which is what laps of versions have in common (AUDIT 5.4)
	}
	out := audit.Function{Name: f.name, Outcome: result.Outcome, Best: result.Best, Pairs: result.Pairs,
		Decided: f.decided, Clock: f.first.Least, Tick: tick}
	for i, name := range f.copies.names {
		s := audit.Scale(result.Versions[i], tick)
		out.Versions = append(out.Versions, audit.Version{Name: name, Summary: s, Kept: s.Kept})
	}
	for i, at := range f.copies.of {
		v := &out.Versions[at.version]
		for _, a := range f.in {
			v.Calls += a.Calls[i]
			v.Panicked += a.Panicked[i]
			v.Open += a.Calls[i] - min(a.Returned[i]+a.Panicked[i], a.Calls[i])
		}
	}
	for _, a := range f.in {
		out.Nested += a.Nested
		out.Lost += a.Lost
	}
	f.aboutLaps(&out)
	return out
}
