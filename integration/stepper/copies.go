package main

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
	"github.com/goprofinstr/goprofinstr/rt"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// Counting copies (package rewrite/copies) are tried in two ways. In one no burst ever ends: originals lead into their
// copies, and all paths are counted, which exact mode has to agree with. In the other bursts of random lengths follow ticks.

// mostPaths is how many paths a function has at most that has a counter for each.
const mostPaths = 1 << 17

// A copiedProgram is a program with counting copies.
type copiedProgram struct {
	*program
	counted map[*pathmap.Func]pathlog.Target
	not     map[*pathmap.Func]string // why others are not counted
	targets []pathlog.Target         // one for each place where a function is, and then one for each function
	of      []*pathmap.Target        // by target, of places
	derived *derive.Executions
	found   *derive.Found
	met     map[*pathmap.Target][]met // in the last run
	proofs  map[*pathmap.Func]*pathmap.Proof
	n       uint64                 // of counters
	stats   rtcopies.Stats         // of the last run
	bound   uint64                 // of records from tick to tick, where functions begin cold
	fell    map[*pathmap.Func]bool // functions that were cold no more at its end, or never were
	copies  *copies.Copied
	leader  leader
	leads   string // the only function that leads into its copy where no burst ends, "" if all do
}

// copyProgram makes copies of all functions of a program that have one of the sources' in them.
func copyProgram(m *program, p *pkg) (*copiedProgram, error) {
	c := &copiedProgram{program: m, counted: make(map[*pathmap.Func]pathlog.Target), not: make(map[*pathmap.Func]string),
		proofs: make(map[*pathmap.Func]*pathmap.Proof)}
	var err error
	if c.leader, err = newLeader(m.image.File); err != nil {
		return nil, err
	}
	if c.found, err = m.find(p, m.all); err != nil {
		return nil, err
	}
	c.derived = c.found.Executions()
	plans := c.plan(p)
	transit, err := c.transit()
	if err != nil {
		return nil, err
	}
	words, err := copies.WordsOf(m.image.File)
	if err != nil {
		return nil, err
	}
	for again := true; again; {
		again, c.targets, c.of = false, nil, nil
		base := copies.Base(m.image.File)
		if p.arch == "" {
			base += 1 << 29 // behind what fix adds
		}
		k := copies.New(m.image, base)
		if p.cold {
			k = copies.NewCold(m.image, base, len(m.all))
		}
		k.Words = words
		if p.reach > 0 {
			k.LimitReach(p.reach)
		}
		lists := c.number(k, plans)
		for n, fn := range m.all {
			err := k.Add(fn.machine, lists[n])
			if err == nil && !p.cold && !c.leader.may(fn.machine) {
				err = errors.New("no jump can be written over its beginning")
			}
			if err != nil {
				again = c.leaveAll(fn, fmt.Sprintf("%s: %v", fn.machine.Name, err)) || again
			}
		}
		for _, f := range transit {
			k.Add(f, nil) // or threads leave copies there
		}
		if c.copies, err = k.Finish(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// transit returns the functions of other packages that have copies.
func (c *copiedProgram) transit() (list []*machine.Function, err error) {
	here := make(map[*machine.Function]bool)
	for _, fn := range c.all {
		here[fn.machine] = true
	}
	all, err := copies.Transit(c.image, func(f *machine.Function) bool { return here[f] })
	for _, f := range all {
		if f.Blocks != nil || c.image.Decode(f) == nil {
			list = append(list, f)
		}
	}
	return list, err
}

// number gives targets their numbers, and returns what is counted in each machine function.
func (c *copiedProgram) number(k *copies.Copier, plans map[*function][]*pathmap.Plan) (lists [][]copies.Counted) {
	d := copies.Derived{Entries: c.derived.Entries, Calls: c.derived.Calls, Back: c.derived.Back,
		Counters: make(map[*pathmap.Func]uint32), Targets: make(map[*pathmap.Target]uint32)}
	for _, fn := range c.all {
		var list []copies.Counted
		for i, t := range fn.targets {
			of, ok := c.counted[t.F]
			if plans[fn][i] != nil && (ok || c.derived.Targets[t] != nil) {
				d.Targets[t] = uint32(len(c.targets))
				list = append(list, copies.Counted{Plan: plans[fn][i], Target: d.Targets[t]})
				c.targets, c.of = append(c.targets, of), append(c.of, t)
			}
		}
		lists = append(lists, list)
	}
	for f, of := range c.counted {
		d.Counters[f] = uint32(len(c.targets))
		c.targets = append(c.targets, of)
	}
	k.Derived = d
	return lists
}

// leaveAll has what is counted in a machine function not be counted. Others have to do without it, too.
func (c *copiedProgram) leaveAll(fn *function, why string) (some bool) {
	for _, t := range fn.targets {
		some = c.leave(t.F, why) || some
	}
	list := append([]*pathmap.Also(nil), c.derived.Entries[fn.machine]...)
	for _, b := range fn.machine.Blocks {
		list = append(append(list, c.derived.Calls[b]...), c.derived.Back[b]...)
	}
	for len(list) > 0 {
		a := list[0]
		list = append(list[1:], a.Then...)
		list = append(list, slices.Concat(a.Ways...)...)
		some = a.F != nil && c.leave(a.F, why) || some
	}
	return some
}

func (c *copiedProgram) leave(f *pathmap.Func, why string) bool {
	_, ok := c.counted[f]
	if ok {
		delete(c.counted, f)
		c.not[f] = why
	}
	return ok
}

// plan decides which functions are counted. Each has counters of its own, even if it turns out later that it is not counted.
func (c *copiedProgram) plan(p *pkg) map[*function][]*pathmap.Plan {
	plans := make(map[*function][]*pathmap.Plan)
	targets := make(map[*pathmap.Func][]*pathmap.Target)
	for _, fn := range c.all {
		for _, t := range fn.targets {
			var plan *pathmap.Plan
			if !c.found.Counted[t] {
				plan = t.Plan(c.derived.Targets[t])
			}
			plans[fn] = append(plans[fn], plan)
			targets[t.F] = append(targets[t.F], t)
		}
	}
	for _, f := range p.functions() {
		d, err := f.Decoder()
		proof := pathmap.Prove(f, targets[f])
		switch {
		case c.unknown[f]:
			c.not[f] = "it is in code that cannot be decoded"
		case err != nil:
			c.not[f] = err.Error()
		case proof.Failed() != "" && !(d.NumPaths() == 1 && len(targets[f]) == 0 && len(c.found.Shares[f]) > 0):
			c.not[f] = "machine code tells none of its paths"
		default:
			c.proofs[f] = proof
			t := pathlog.Target{At: c.n, Paths: d.NumPaths()}
			if t.Paths > mostPaths {
				t.At |= pathlog.Spread
			}
			c.counted[f] = t
			_, c.n = t.Room()
		}
	}
	return plans
}

// write writes the program with copies, and a file for its counters. If no burst ends, originals lead into their copies.
func (c *copiedProgram) write(from, to, counters string, s copies.Settings) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	s.Counters = counters
	if data, err = copies.Attach(data, c.copies, c.targets, s); err != nil {
		return err
	}
	if s.Mode == rtcopies.Always {
		text := c.image.File.Section(".text")
		for _, fn := range c.all {
			leads := c.leader.may(fn.machine) && (c.leads == "" || c.leads == fn.machine.Name)
			if entry, ok := c.copies.Entries[fn.machine.Lo]; ok && leads {
				c.leader.lead(data[text.Offset:], fn.machine, entry)
			}
		}
	}
	size := rtcopies.StatsSize + 8*(c.n+uint64(len(c.copies.Doubts))) + uint64(len(c.copies.Cold))
	if err := os.WriteFile(counters, make([]byte, (size+4095)&^4095), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o777); err != nil {
		return err
	}
	if c.image.File.Machine != elf.EM_AARCH64 { // there random numbers are those of the emulator's seed
		if err := fix(to); err != nil {
			return err
		}
	}
	if c.copies.Flags == 0 {
		return nil
	}
	if data, err = os.ReadFile(to); err != nil {
		return err
	}
	if data, err = copies.AttachCold(data, c.copies, c.targets, c.bound); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o777)
}

// read returns what a function's counters are.
func (c *copiedProgram) read(counters string) (counts, error) {
	data, err := os.ReadFile(counters)
	if err != nil {
		return nil, err
	}
	if _, err := binary.Decode(data, binary.LittleEndian, &c.stats); err != nil {
		return nil, err
	}
	data = data[rtcopies.StatsSize:]
	words := make([]uint64, c.n)
	if _, err := binary.Decode(data, binary.LittleEndian, words); err != nil {
		return nil, err
	}
	all := make(counts)
	for f, t := range c.counted {
		of := make(map[uint64]int64)
		t.Counts(words, func(path, n uint64) { of[path] = int64(n) })
		all[f] = of
	}
	for f, of := range c.derived.Once {
		for id, n := range of {
			if all[f] != nil {
				all[f][id] += n
			}
		}
	}
	first := uint64(0) // counter of a doubt
	for _, t := range c.targets {
		_, end := t.Room()
		first = max(first, end)
	}
	c.met = make(map[*pathmap.Target][]met)
	for k, d := range c.copies.Doubts {
		if n := binary.LittleEndian.Uint64(data[8*(first+uint64(k)):]); n > 0 {
			t := c.of[d.Target]
			c.met[t] = append(c.met[t], met{d, int64(n)})
		}
	}
	fates := data[8*(first+uint64(len(c.copies.Doubts))):]
	c.readFates(fates[:len(c.copies.Cold)])
	return all, nil
}

// readFates reads which functions were cold to the end: a byte for each that began so. A function of the source is counted
// exactly if that is so wherever it is.
func (c *copiedProgram) readFates(fates []byte) {
	c.fell = make(map[*pathmap.Func]bool)
	if len(fates) == 0 {
		return
	}
	cold := make(map[uint32]bool) // by target
	for k, f := range c.copies.Cold {
		end := uint32(len(c.targets))
		if k+1 < len(c.copies.Cold) {
			end = c.copies.Cold[k+1].Target
		}
		for t := f.Target; t < end; t++ {
			cold[t] = fates[k] == 1 && t-f.Target < f.Targets
		}
	}
	for t, of := range c.of {
		if !cold[uint32(t)] {
			c.fell[of.F] = true
		}
	}
	for _, o := range c.copies.Ops {
		if o.Kind == pathlog.Also || o.Kind == pathlog.Unless { // where it is counted, too, is not known here
			for f, at := range c.counted {
				if at.At == c.targets[o.Target].At {
					c.fell[f] = true
				}
			}
		}
	}
}

// counts are those of paths, by function.
type counts map[*pathmap.Func]map[uint64]int64

// stressed is the environment of programs whose stacks are to be moved and scanned all the time.
var stressed = []string{"GOMAXPROCS=2", "GOGC=1", "GODEBUG=randautoseed=0"}

// A comparison is of the counts of copies with those of exact mode.
type comparison struct {
	functions, counted int
	fallen             int   // functions that began cold and are sampled, where some begin so
	ends, in, same     int64 // exact path ends; those that are told; those of paths with the same count
	seen               int64 // path ends that copies counted
	differ             []string
	not                map[string]int64 // path ends that are not counted, by reason
	of                 map[string]int64 // and by function
}

func (c comparison) String() string {
	s := fmt.Sprintf("%d of %d functions are counted, and %d have fallen; %.2f%% of %d path ends; copies saw %d path ends; "+
		"%d functions differ", c.counted, c.functions, c.fallen, 100*float64(c.in)/float64(max(1, c.ends)), c.ends, c.seen, len(c.differ))
	for why, n := range c.not {
		s += fmt.Sprintf("\n  not: %s: %.2f%%", why, 100*float64(n)/float64(max(1, c.ends)))
	}
	return s
}

// count runs a program with copies, and returns what they have counted.
func (b *bench) count(c *copiedProgram, s copies.Settings, args []string, env ...string) (counts, error) {
	traced, counters := filepath.Join(b.work, "copied.test"), filepath.Join(b.work, "counters")
	if err := c.write(b.labelled, traced, counters, s); err != nil {
		return nil, err
	}
	if err := b.run(traced, args, env...); err != nil {
		return nil, err
	}
	return c.read(counters)
}

// run runs a test binary, in the emulator if it is for another architecture.
func (b *bench) run(binary string, args []string, env ...string) error {
	if b.machine != nil {
		return b.machine.run(binary, args, append(alone[:len(alone):len(alone)], env...)...)
	}
	if emulator := emulators[b.pkg.arch]; emulator != "" {
		args = append([]string{"-seed", "1", binary}, args...)
		if binary = emulator; b.singly {
			args = append([]string{"-singlestep"}, args...)
		}
	}
	return b.pkg.run(binary, args, env...)
}

// bursts runs copies for the time of bursts at a tick each.
func (b *bench) bursts(c *copiedProgram, interval, length time.Duration, args []string, env ...string) (counts, error) {
	s := copies.Settings{Mode: rtcopies.Bursts, Interval: uint64(interval), Length: uint64(length)}
	return b.count(c, s, args, env...)
}

// coldly has all functions begin cold, with bursts if these have a length.
func (b *bench) coldly() copies.Settings {
	s := copies.Settings{Mode: rtcopies.Cold}
	if b.length > 0 {
		s.Interval, s.Length = uint64(b.interval), uint64(b.length)
	}
	return s
}

// ends returns how many path ends were counted.
func (c counts) ends() (n int64) {
	for _, of := range c {
		for _, k := range of {
			n += k
		}
	}
	return n
}

// exactly runs the program that counts exactly.
func (b *bench) exactly(args []string, env ...string) (*report, error) {
	data := filepath.Join(b.work, "exact.out")
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o777)); err != nil {
		return nil, err
	}
	if err := b.run(b.exact, args, append(env, profiledir.Var+"="+data)...); err != nil {
		return nil, err
	}
	r := b.report()
	return r, r.compare(data)
}

// overlap returns how much of the path profile that bursts have seen is that of exact mode: the sum of the lesser shares, of
// functions that are counted.
func (c counts) overlap(exact *report) (sum float64) {
	var all int64
	for _, row := range exact.rows {
		if _, ok := c[row.f]; ok {
			all += row.ends
		}
	}
	seen := c.ends()
	for _, row := range exact.rows {
		for id, n := range c[row.f] {
			sum += min(float64(n)/float64(max(1, seen)), float64(row.exact[id])/float64(max(1, all)))
		}
	}
	return sum
}

// always runs both binaries, copies without an end of bursts, and compares all counts.
func (b *bench) always(c *copiedProgram, args []string, env ...string) (r comparison, err error) {
	return b.hold(c, copies.Settings{Mode: rtcopies.Always}, args, env...)
}

// hold runs both binaries, and compares the counts of functions that are counted exactly.
func (b *bench) hold(c *copiedProgram, s copies.Settings, args []string, env ...string) (r comparison, err error) {
	counts, err := b.count(c, s, args, env...)
	if err != nil {
		return r, err
	}
	rows, err := b.exactly(args, env...)
	if err != nil {
		return r, err
	}
	return c.compareAll(counts, rows)
}

// compareAll compares the counts of a program with copies with those of exact mode.
func (c *copiedProgram) compareAll(counts counts, rows *report) (r comparison, err error) {
	r.not, r.of = make(map[string]int64), make(map[string]int64)
	executed := rows.executed()
	for _, row := range rows.rows {
		r.functions++
		r.ends += row.ends
		if c.fell[row.f] {
			r.fallen++
			r.not["functions that have fallen"] += row.ends
			continue
		}
		of, ok := counts[row.f]
		if !ok {
			r.leave(row.f, c.not[row.f], row.ends)
			continue
		}
		r.counted++
		if err := r.compare(c, row, of, executed); err != nil {
			return r, err
		}
	}
	slices.Sort(r.differ)
	return r, nil
}

// inCopies prints what counting in copies comes to.
func (b *bench) inCopies(args []string) error {
	if b.times > 0 {
		return b.inWindows(args)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		return err
	}
	k := c.copies
	places := k.Places()
	tables := 12*(len(places.Functions)+len(places.Blocks)) + len(places.Stream) +
		pathlog.SiteSize*len(k.Sites) + pathlog.StepSize*len(k.Steps) +
		pathlog.LookSize*len(k.Looks) + 24*(len(k.Ops)+len(k.Ways)) + 40*len(k.Cases)
	fmt.Printf("copies have %d bytes, and %d for tables; the text has %d\n", len(k.Code), tables, c.image.File.Section(".text").Size)
	var env []string
	if b.stress {
		env = stressed
	}
	if b.length > 0 && !b.cold {
		seen, err := b.bursts(c, b.interval, b.length, args, env...)
		if err != nil {
			return err
		}
		exact, err := b.exactly(args, env...)
		if err != nil {
			return err
		}
		fmt.Printf("bursts saw %d path ends: %+v\noverlap with exact mode's %.4f\n", seen.ends(), c.stats, seen.overlap(exact))
		return exact.contradictions(seen)
	}
	settings := copies.Settings{Mode: rtcopies.Always}
	c.bound = b.bound
	if b.cold {
		settings = b.coldly()
	}
	r, err := b.hold(c, settings, args, env...)
	if err != nil {
		return err
	}
	fmt.Printf("%v\n  %+v\n", r, c.stats)
	for _, l := range r.most(10) {
		fmt.Println("  not:", l)
	}
	differ, err := b.printDiffering(r.differ, args, env)
	if err != nil {
		return err
	}
	if len(differ) > 0 {
		return errors.New("counts differ")
	}
	return nil
}

// leave notes path ends that are not counted.
func (c *comparison) leave(f *pathmap.Func, why string, ends int64) {
	if ends > 0 {
		c.not[why] += ends
		c.of[f.Name+": "+why] += ends
	}
}

// most returns the functions with most path ends that are not counted.
func (c *comparison) most(n int) (list []string) {
	for name := range c.of {
		list = append(list, name)
	}
	slices.SortFunc(list, func(a, b string) int { return int(c.of[b] - c.of[a]) })
	for k, name := range list {
		list[k] = fmt.Sprintf("%5.2f%% %s", 100*float64(c.of[name])/float64(c.ends), name)
	}
	return list[:min(n, len(list))]
}

// compare compares the counts of those paths of a function that are told.
func (c *comparison) compare(p *copiedProgram, row *row, of map[uint64]int64, executed executed) error {
	d, err := row.f.Decoder()
	if err != nil {
		return err
	}
	var wrong []string
	ids := make(map[uint64]bool)
	for id := range of {
		ids[id] = true
	}
	for id := range row.exact {
		ids[id] = true
	}
	for id := range ids {
		if why := p.told(row.f, d, id, executed); why != "" {
			c.leave(row.f, why, row.exact[id])
			continue
		}
		c.seen += of[id]
		known := min(of[id], row.exact[id])
		c.in += known
		c.leave(row.f, "the path is in doubt", row.exact[id]-known)
		if of[id] == row.exact[id] {
			c.same += of[id]
		} else if missed, bounded := p.missed(row.f, d, id); of[id] > row.exact[id] || bounded && of[id]+missed < row.exact[id] {
			wrong = append(wrong, fmt.Sprintf("path %d: %d, exact %d", id, of[id], row.exact[id]))
		}
	}
	slices.Sort(wrong)
	for _, id := range row.contradicts(of) {
		wrong = slices.Insert(wrong, 0, contradiction(id, of[id]))
	}
	if len(wrong) > 0 {
		c.differ = append(c.differ, fmt.Sprintf("%s: %s", row.f.Name, strings.Join(wrong[:min(4, len(wrong))], "; ")))
	}
	return nil
}

// startsSampling has windows be opened at ticks, if that is the mode of copies. There are ticks all the time with whole.
func startsSampling(whole bool) string {
	budget, period := "1e4", "1e7"
	if whole {
		budget, period = "1e6", "1e6"
	}
	return "var _ = goprofinstr_sampled.StartSampling(&goprofinstr_sampled.Sampling{" +
		"Kind: 0, Samples: 64, Stride: 17, Budget: " + budget + ", Period: " + period + ", Frames: 8})\n"
}

// overlayForCopies lays out what the labelled test binary is built from, with the half of copies that is linked into programs.
func (p *pkg) overlayForCopies(work string) (string, error) {
	root, err := p.goCommand("env", "GOROOT")
	if err != nil {
		return "", err
	}
	tc := target.Toolchain{GOROOT: strings.TrimSpace(string(root)), GOOS: runtime.GOOS, GOARCH: cmp.Or(p.arch, runtime.GOARCH)}
	hooks := target.RuntimeHooks(tc, false, os.ReadFile)
	if missing := hooks.AddCopies(tc, os.ReadFile); len(missing) > 0 {
		return "", fmt.Errorf("hooks are missing: %v", missing)
	}
	files := make(map[string][]byte)
	imported := false
	for _, part := range p.parts {
		for name, src := range part.labelled.Files {
			if !imported {
				f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly)
				if err != nil {
					return "", err
				}
				at := int(f.Name.End() - f.FileStart)
				src = fmt.Appendf(nil, "%s; import _ %q; import goprofinstr_sampled %q%s\n%s", src[:at],
					rt.ImportPath+"/copies", rt.ImportPath+"/sampled", src[at:], startsSampling(p.whole))
				imported = true
			}
			files[name] = target.NameWhole(src, p.folder)
		}
	}
	dir := filepath.Join(work, "overlay")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	return target.Write(dir, tc, target.Sources{Files: files, Hooks: hooks})
}
