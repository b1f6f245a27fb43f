// Stepper follows the tests of a package through their machine code, and holds the paths that package pathmap finds in it against what exact mode
// counts.
//
//	go run ./integration/stepper [flags] PACKAGE [flags of the test binary]
//
// It builds the test binary with labels, and writes copies of the package's machine code into it which append to a log, for each branch, which way
// control goes and where the frame is. Each activation's branches then lead through the map. Nothing of this is in the machine code that the map is
// made from: that has no more than its labels.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder in which the go command runs")
	flag.StringVar(&o.work, "work", "", "folder for what is built, which is kept")
	flag.StringVar(&o.goprofinstr, "goprofinstr", "", "executable; it is built if there is none")
	flag.StringVar(&o.build, "build", "", "a flag of go build")
	flag.StringVar(&o.only, "f", "", "functions whose name contains this are explained")
	flag.BoolVar(&o.static, "static", false, "run nothing")
	flag.BoolVar(&o.verbose, "v", false, "list all functions")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := o.main(flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stepper:", err)
		os.Exit(1)
	}
}

type options struct {
	dir, work, goprofinstr, build, only string
	static, verbose                     bool
}

func (o *options) main(path string, args []string) error {
	if o.work == "" {
		var err error
		if o.work, err = os.MkdirTemp("", "stepper-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.work)
	}
	if o.goprofinstr == "" && !o.static {
		var err error
		if o.goprofinstr, err = tool.Build(o.work); err != nil {
			return err
		}
	}
	p := &pkg{path: path, dir: o.dir}
	if o.build != "" {
		p.flags = []string{o.build}
	}
	r, err := o.follow(p, args)
	if err != nil {
		return err
	}
	r.print(os.Stdout, o)
	if !r.equal() {
		return errors.New("counts differ")
	}
	return nil
}

// follow does it all.
func (o *options) follow(p *pkg, args []string) (*report, error) {
	if err := p.read(); err != nil {
		return nil, err
	}
	binary, err := p.build(o.work)
	if err != nil {
		return nil, err
	}
	if err := p.analyze(); err != nil {
		return nil, err
	}
	m, err := newProgram(p, binary)
	if err != nil {
		return nil, err
	}
	r := newReport(p, m)
	if o.static {
		return r, nil
	}
	if err := o.trace(p, m, binary, args); err != nil {
		return nil, err
	}
	exact, err := p.buildExact(o.goprofinstr, o.work)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(o.work, "exact.out")
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o777)); err != nil {
		return nil, err
	}
	if err := p.run(exact, args, "GOPROFINSTR_DIR="+data); err != nil {
		return nil, err
	}
	return r, r.compare(data)
}

// trace runs the copies and decodes their log.
func (o *options) trace(p *pkg, m *program, binary string, args []string) error {
	log, traced := filepath.Join(o.work, "log"), filepath.Join(o.work, "traced.test")
	f, err := os.Create(log)
	if err != nil {
		return err
	}
	defer os.Remove(log)
	defer f.Close()
	if err := f.Truncate(logSize); err != nil {
		return err
	}
	if err := m.copier.write(binary, traced, log, m.image.File); err != nil {
		return err
	}
	if err := p.run(traced, args); err != nil {
		return err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, logSize, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer unix.Munmap(data)
	m.decoder.sites = m.copier.sites
	return m.decoder.decode(data)
}
