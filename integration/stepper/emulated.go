package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// emulators run programs for other architectures, and can write all registers before each instruction.
var emulators = map[string]string{"arm64": "qemu-aarch64-static"}

// followEmulated runs the labelled program, as it is, in an emulator that steps through it, and then the one that counts. The
// steps take the place of what copies log.
func (b *bench) followEmulated(args []string) (*report, error) {
	b.program.reset()
	if err := errors.Join(b.step(args), b.program.checkPlans()); err != nil {
		return nil, err
	}
	data := filepath.Join(b.work, "exact.out")
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o777)); err != nil {
		return nil, err
	}
	run := append([]string{"-seed", "1", b.exact}, args...)
	if err := b.pkg.run(emulators[b.pkg.arch], run, profiledir.Var+"="+data); err != nil {
		return nil, err
	}
	r := b.report()
	return r, r.compare(data)
}

// step runs the labelled program and decodes its steps, which come through a pipe with a name.
func (b *bench) step(args []string) error {
	pipe := filepath.Join(b.work, "steps")
	os.Remove(pipe)
	if err := exec.Command("mkfifo", pipe).Run(); err != nil { // package syscall has it for some systems only
		return fmt.Errorf("mkfifo: %w", err)
	}
	defer os.Remove(pipe)
	both, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that neither side waits to open it
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	s := newStepped(b.program)
	go func() { done <- s.read(bufio.NewReaderSize(both, 1<<20)) }()
	run := []string{"-seed", "1", "-singlestep", "-d", "exec,cpu,nochain", "-dfilter", s.filter(), "-D", pipe, b.labelled}
	err = b.pkg.run(emulators[b.pkg.arch], append(run, args...))
	_, end := both.WriteString("end\n")
	return errors.Join(err, end, <-done)
}

// A stepped reads the steps of a program.
type stepped struct {
	program *program
	at      map[uint64]*spot
	ranges  [][2]uint64
	waiting map[string]*spot // jumps of which the edge is not known yet, by processor
	frames  map[string]uint32
	index   map[string]int // of tables
	last    map[uint32]*spot

	lines [12][]byte // of the step
	steps int64
}

// A spot is an instruction.
type spot struct {
	fn    *function
	block *machine.Block
	inst  *machine.Inst
	depth int
	table *machine.Block // whose jump through a table follows
}

func newStepped(m *program) *stepped {
	s := &stepped{program: m, at: make(map[uint64]*spot), waiting: make(map[string]*spot), frames: make(map[string]uint32),
		index: make(map[string]int), last: make(map[uint32]*spot)}
	m.decoder.active, m.decoder.wrong = make(map[uint32]*activation), make(map[string]int64)
	for _, fn := range m.funcs {
		depths := fn.machine.Depths()
		for _, b := range fn.machine.Blocks {
			for k, i := range b.Insts {
				p := &spot{fn: fn, block: b, inst: i, depth: depths[i.PC]}
				if b.Table != 0 && k == len(b.Insts)-2 {
					p.table = b
				}
				s.at[i.PC] = p
			}
		}
		s.ranges = append(s.ranges, [2]uint64{fn.machine.Lo, fn.machine.Hi})
	}
	slices.SortFunc(s.ranges, func(a, b [2]uint64) int { return int(a[0]) - int(b[0]) })
	return s
}

// filter returns the ranges of the functions, as the emulator takes them.
func (s *stepped) filter() string {
	var list []string
	for k := 0; k < len(s.ranges); {
		from, to := s.ranges[k][0], s.ranges[k][1]
		for k++; k < len(s.ranges) && s.ranges[k][0] <= to+32; k++ {
			to = s.ranges[k][1]
		}
		list = append(list, fmt.Sprintf("%#x+%d", from, to-from))
	}
	return strings.Join(list, ",")
}

// read reads steps to the end.
func (s *stepped) read(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.Equal(line, []byte("end\n")) {
			return nil
		}
		if !bytes.HasPrefix(line, []byte("Trace ")) {
			return fmt.Errorf("%q is no step", line)
		}
		cpu, _, _ := bytes.Cut(line[len("Trace "):], []byte(":"))
		of := string(cpu)
		for k := range s.lines {
			if line, err = r.ReadSlice('\n'); err != nil {
				return err
			}
			s.lines[k] = append(s.lines[k][:0], line...)
		}
		s.steps++
		if err := s.step(of); err != nil {
			return err
		}
	}
}

// number returns the number in hexadecimal digits that a line has at a column.
func (s *stepped) number(line, column, digits int) uint64 {
	if column+digits > len(s.lines[line]) {
		return 0
	}
	v, _ := strconv.ParseUint(string(s.lines[line][column:column+digits]), 16, 64)
	return v
}

func (s *stepped) register(n int) uint64 {
	if n < 2 {
		return s.number(0, 25+21*n, 16)
	}
	return s.number((n-2)/3+1, (n-2)%3*21+4, 16)
}

func (s *stepped) pc() uint64           { return s.number(0, 4, 16) }
func (s *stepped) stackPointer() uint64 { return s.number(10, 46, 16) }

// holds reports whether a condition holds, by its number in instructions.
func (s *stepped) holds(condition int) bool {
	flags := s.number(11, len("PSTATE="), 8) >> 28
	n, z, c, v := flags&8 != 0, flags&4 != 0, flags&2 != 0, flags&1 != 0
	is := []bool{z, c, n, v, c && !z, n == v, !z && n == v, true}[condition>>1]
	return is != (condition&1 == 1)
}

// step decodes a step: what the registers are before an instruction.
func (s *stepped) step(cpu string) error {
	p := s.at[s.pc()]
	d := &s.program.decoder
	if from := s.waiting[cpu]; from != nil {
		delete(s.waiting, cpu)
		if edge := s.edge(from, s.index[cpu]); edge >= 0 {
			s.record(site{fn: from.fn, kind: branched, block: from.block.Index, edge: edge}, s.frames[cpu], 0)
		}
	}
	if p == nil {
		return nil
	}
	i := p.inst
	if p.fn.stacks {
		if i.Callee == "runtime.memmove" {
			moveFrames(d.active, uint32(s.register(0)), uint32(s.register(1)), uint32(s.register(2)))
			moveFrames(s.last, uint32(s.register(0)), uint32(s.register(1)), uint32(s.register(2)))
		}
		return nil
	}
	frame := uint32(s.stackPointer()) + uint32(p.depth)
	if i.PC == p.fn.machine.Lo && !s.loops(frame, p) {
		s.record(site{fn: p.fn, kind: entered}, frame, 0)
	}
	s.last[frame] = p
	if from := p.fn.returns[p.block]; from != nil && i == p.block.Insts[0] {
		s.record(site{fn: p.fn, kind: cameBack, block: from.Index}, frame, 0)
	}
	for _, l := range p.fn.looks[i] {
		var v uint64
		switch {
		case l.condition < 0:
			v = s.register(l.reg)
		case s.holds(l.condition):
			v = 1
		}
		s.record(site{fn: p.fn, kind: looked, block: p.block.Index, inst: i}, frame, v)
	}
	if p.table != nil {
		s.index[cpu] = int(s.register(p.table.Selects))
	}
	last := i == p.block.Last()
	switch {
	case i.Callee == "runtime.gopanic":
		s.record(site{fn: p.fn, kind: panicked, block: p.block.Index}, frame, 0)
	case last && p.block.Ret:
		s.record(site{fn: p.fn, kind: returned, block: p.block.Index}, frame, 0)
	case last && p.block.Calls(): // it may never return
		s.record(site{fn: p.fn, kind: branched, block: p.block.Index}, frame, 0)
	case last && p.block.Cond:
		s.waiting[cpu], s.frames[cpu] = p, frame
	}
	return nil
}

// loops reports whether control comes to the beginning of a function by a jump in it, as when the stack has grown.
func (s *stepped) loops(frame uint32, p *spot) bool {
	from := s.last[frame]
	return from != nil && from.fn == p.fn && from.inst.IsJump() && !from.block.Ret
}

// edge returns the edge of a block that control has taken, -1 if it has come from elsewhere.
func (s *stepped) edge(from *spot, index int) int {
	pc, b := s.pc(), from.block
	if b.Table != 0 {
		if index < len(b.Succs) && b.Succs[index].Insts[0].PC == pc {
			return index
		}
		return -1
	}
	return slices.IndexFunc(b.Succs, func(x *machine.Block) bool { return x.Insts[0].PC == pc })
}

func (s *stepped) record(at site, frame uint32, value uint64) {
	s.program.decoder.records++
	s.program.decoder.record(&at, frame, value)
}
