// Stepper follows the tests of a package through their machine code. It holds the paths that package pathmap finds in it against
// what exact mode counts.
//
//	go run ./integration/stepper [flags] PACKAGE [flags of the test binary]
//
// It builds the test binary with labels, and writes copies of the package's machine code into it. These append to a log, for each
// branch, which way control goes and where the frame is. Each activation's branches then lead through the map. Nothing of this is
// in the machine code that the map is made from: that has no more than its labels.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder in which the go command runs")
	flag.StringVar(&o.work, "work", "", "folder for what is built, which is kept")
	flag.StringVar(&o.goprofinstr, "goprofinstr", "", "executable; it is built if there is none")
	flag.StringVar(&o.build, "build", "", "a flag of go build")
	flag.StringVar(&o.only, "f", "", "functions whose name contains this are explained")
	flag.BoolVar(&o.static, "static", false, "run nothing, and say what the map tells")
	flag.StringVar(&o.arch, "arch", "", "a GOARCH to build for: the program is stepped through in an emulator")
	flag.StringVar(&o.kernel, "kernel", "",
		"with -arch arm64, run programs in an emulated machine, with the kernel of a Debian package that was unpacked into this folder")
	flag.StringVar(&o.bench, "bench", "", "in place of a package, the benchmarks of integration/eval that match")
	flag.BoolVar(&o.plans, "plans", false, "follow plans, too, and hold their counts against those of the map")
	flag.BoolVar(&o.copies, "copies", false, "count in copies that are part of the program, in a burst that never ends")
	flag.BoolVar(&o.cold, "cold", false, "with -copies, have functions begin cold, and fall where they are not rare")
	flag.Uint64Var(&o.bound, "bound", defaultBound, "with -cold, how many records functions may have from tick to tick and not fall")
	flag.BoolVar(&o.stress, "stress", false,
		"with -copies, have two threads, a collector that is always at work and preemption by signals")
	flag.DurationVar(&o.length, "bursts", 0, "with -copies, count in bursts of random lengths up to this one")
	flag.DurationVar(&o.interval, "interval", time.Millisecond,
		"from burst to burst: CPU time, or less than a millisecond by the clock")
	flag.IntVar(&o.times, "windows", 0, "with -copies, sample in windows, and run the test so often")
	flag.BoolVar(&o.whole, "all-ticks", false, "with -windows, have a tick each millisecond, whatever that costs")
	flag.IntVar(&o.worst, "worst", 5, "with -windows, list so many paths whose shares are most off")
	flag.IntVar(&o.runs, "signals", 0,
		"with -copies, run so often with a signal at each instruction of copies, and a change to or from copies at each instruction")
	flag.Uint64Var(&o.parts, "parts", 1, "with -lockstep, look at one in so many instructions")
	flag.IntVar(&o.steps, "lockstep", 0,
		"with -copies, hold each instruction of copies so often against the original's: where control comes to, and what it reads")
	flag.BoolVar(&o.verbose, "v", false, "list all functions")
	flag.Parse()
	run := func() error { return o.main(flag.Arg(0), flag.Args()[1:]) }
	switch {
	case o.bench != "":
		run = o.benchmarks
	case flag.NArg() == 0:
		flag.Usage()
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stepper:", err)
		os.Exit(1)
	}
}

// defaultBound is what the budget of a sampled run allows, or about as much.
const defaultBound = 500

// inSignals is (*bench).signals, and inLockstep (*bench).lockstep, nil but on linux/amd64.
var inSignals, inLockstep func(b *bench, args []string) error

// boot is bootMachine, nil but on linux.
var boot func(o *options, p *pkg) (runner, error)

// A runner runs test binaries elsewhere.
type runner interface {
	run(binary string, args []string, env ...string) error
	Close()
}

type options struct {
	dir, work, goprofinstr, build, only, bench, arch string
	kernel                                           string
	static, verbose, plans, copies, stress, whole    bool
	cold                                             bool
	length, interval                                 time.Duration
	times, worst, runs, steps                        int
	parts                                            uint64
	bound                                            uint64
}

// begin makes what flags have not given. It returns what is to be done in the end.
func (o *options) begin() (end func(), err error) {
	end = func() {}
	if o.work == "" {
		if o.work, err = os.MkdirTemp("", "stepper-"); err != nil {
			return nil, err
		}
		end = func() { os.RemoveAll(o.work) }
	}
	if o.work, err = filepath.Abs(o.work); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.work, 0o777); err != nil {
		return nil, err
	}
	if o.goprofinstr == "" && !o.static {
		o.goprofinstr, err = tool.Build(o.work)
	}
	return end, err
}

func (o *options) main(path string, args []string) error {
	end, err := o.begin()
	if err != nil {
		return err
	}
	defer end()
	p := &pkg{path: path, dir: o.dir, plans: o.plans, copies: o.copies, cold: o.cold, arch: o.arch, whole: o.whole}
	if o.build != "" {
		p.flags = []string{o.build}
	}
	b, err := o.prepare(p)
	if err != nil {
		return err
	}
	if b.machine != nil {
		defer b.machine.Close()
	}
	switch {
	case o.copies && o.runs+o.steps > 0 && inSignals == nil:
		return errors.New("programs are traced on linux/amd64")
	case o.copies && o.runs > 0:
		return inSignals(b, args)
	case o.copies && o.steps > 0:
		return inLockstep(b, args)
	case o.copies:
		return b.inCopies(args)
	}
	r := b.report()
	if !o.static {
		if r, err = b.follow(args); err != nil {
			return err
		}
	}
	r.print(os.Stdout, o)
	if o.static {
		r.printStatic(os.Stdout)
	}
	if !r.equal() {
		return errors.New("counts differ")
	}
	return nil
}

// A bench is a package whose test binaries are built.
type bench struct {
	*options
	pkg      *pkg
	program  *program
	labelled string
	exact    string // "" if nothing is run
	singly   bool   // an emulator takes each instruction for itself
	machine  runner // that programs run on, nil if it is this one
}

// prepare builds the test binaries of a package, and maps the labelled one.
func (o *options) prepare(p *pkg) (b *bench, err error) {
	b = &bench{options: o, pkg: p}
	if err := p.read(); err != nil {
		return nil, err
	}
	if b.labelled, err = p.build(o.work); err != nil {
		return nil, err
	}
	if err := p.analyze(); err != nil {
		return nil, err
	}
	os.Remove(b.traced())
	if b.program, err = newProgram(p, b.labelled); err != nil || o.static {
		return b, err
	}
	if b.exact, err = p.buildExact(o.goprofinstr, o.work); err != nil || o.kernel == "" {
		return b, err
	}
	if boot == nil || p.arch != "arm64" {
		return nil, errors.New("a machine is emulated on linux, for arm64")
	}
	b.machine, err = boot(o, p)
	return b, err
}

// traced is the file of the program with copies that append to a log.
func (b *bench) traced() string { return filepath.Join(b.work, "traced.test") }

// follow runs both binaries with the same arguments.
func (b *bench) follow(args []string) (*report, error) {
	if b.pkg.arch != "" {
		return b.followEmulated(args)
	}
	b.program.reset()
	if err := errors.Join(b.trace(args), b.program.checkPlans()); err != nil {
		return nil, err
	}
	data := filepath.Join(b.work, "exact.out")
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o777)); err != nil {
		return nil, err
	}
	if err := b.pkg.run(b.exact, args, profiledir.Var+"="+data); err != nil {
		return nil, err
	}
	r := b.report()
	return r, r.compare(data)
}

func (b *bench) report() *report { return newReport(b.pkg, b.program) }

// trace runs the copies and decodes their log.
func (b *bench) trace(args []string) error {
	m := b.program
	log, traced := filepath.Join(b.work, "log"), b.traced()
	f, err := os.Create(log)
	if err != nil {
		return err
	}
	defer os.Remove(log)
	defer f.Close()
	if err := f.Truncate(logSize); err != nil {
		return err
	}
	if _, err := os.Stat(traced); err != nil {
		if err := m.copier.write(b.labelled, traced, log, m.image.File); err != nil {
			return err
		}
	}
	if err := b.pkg.run(traced, args); err != nil {
		return err
	}
	m.decoder.sites = m.copier.sites
	return m.decoder.decode(bufio.NewReaderSize(f, 1<<20))
}
