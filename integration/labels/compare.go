package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// A code is the instructions of a function.
type code struct {
	name  string
	insts []inst
}

// An inst is an instruction, without addresses.
type inst struct {
	op   string
	text string
	noop bool
	size int
}

// codes returns the functions of an executable by name. Those of one name come in the order of their addresses.
func codes(file string) (map[string][]*code, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	text := f.Section(".text")
	data, err := text.Data()
	if err != nil {
		return nil, err
	}
	sort.Slice(syms, func(i, j int) bool { return syms[i].Value < syms[j].Value })
	decode := decode
	if f.Machine == elf.EM_AARCH64 {
		decode = decodeARM64
	}
	found := make(map[string][]*code)
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || s.Value < text.Addr || s.Value+s.Size > text.Addr+text.Size {
			continue
		}
		body := data[s.Value-text.Addr:][:s.Size]
		found[s.Name] = append(found[s.Name], &code{s.Name, decode(body)})
	}
	return found, nil
}

// decode decodes instructions. What the decoder does not know, as VEX forms, is one with its bytes for a name.
func decode(body []byte) (list []inst) {
	for len(body) > 0 {
		in, err := x86asm.Decode(body, 64)
		n := in.Len
		i := inst{op: in.Op.String(), text: in.String(), noop: in.Op == x86asm.NOP}
		if err != nil || n == 0 {
			n = 1
			i = inst{op: fmt.Sprintf("%#x", body[0])}
		}
		if in.Op == x86asm.XCHG && bytes.Equal(body[:n], []byte{0x66, 0x90}) {
			i.noop = true
		}
		i.size = n
		list = append(list, i)
		body = body[n:]
	}
	return list
}

// decodeARM64 decodes instructions for arm64. What the decoder does not know, as atomic ones, is one by the bits that are no
// operands in most forms. Words of zero at the end are none: the assembler makes functions a multiple of 16 bytes.
func decodeARM64(body []byte) (list []inst) {
	for len(body) > 4 && binary.LittleEndian.Uint32(body[len(body)-4:]) == 0 {
		body = body[:len(body)-4]
	}
	for ; len(body) >= 4; body = body[4:] {
		in, err := arm64asm.Decode(body)
		i := inst{op: in.Op.String(), text: in.String(), noop: in.Op == arm64asm.NOP, size: 4}
		if err != nil {
			i.op = fmt.Sprintf("%#x", binary.LittleEndian.Uint32(body)&0xffe0fc00)
			i.text = i.op
		}
		list = append(list, i)
	}
	return list
}

// A comparison is of two programs that should have the same code.
type comparison struct {
	functions, insts int           // of packages with labels, as are
	noops            []*difference // functions that differ in no-ops only
	others           []*difference // those that differ otherwise
	missing          []string      // functions that are in one program only
	outside          []*difference // functions of other packages that differ
}

// A difference is of a function.
type difference struct {
	name      string
	insts     int
	more      int    // no-ops more than in the plain program
	different int    // instructions that are not in a longest common subsequence, of both, without no-ops
	first     string // where they differ first
}

// compare compares the opcodes of all functions of two programs, of which one has labels in some.
func compare(plain, labelled string, hasLabels func(string) bool) (*comparison, error) {
	want, err := codes(plain)
	if err != nil {
		return nil, err
	}
	got, err := codes(labelled)
	if err != nil {
		return nil, err
	}
	c := new(comparison)
	for name, list := range want {
		if len(got[name]) != len(list) {
			c.missing = append(c.missing, name)
			continue
		}
		for i := range list {
			c.function(list[i], got[name][i], hasLabels(name))
		}
	}
	for name := range got {
		if want[name] == nil {
			c.missing = append(c.missing, name)
		}
	}
	byName := func(a, b *difference) int { return cmp.Compare(a.name, b.name) }
	slices.SortFunc(c.noops, byName)
	slices.SortFunc(c.others, byName)
	slices.Sort(c.missing)
	return c, nil
}

// function compares a function.
func (c *comparison) function(plain, labelled *code, hasLabels bool) {
	if hasLabels {
		c.functions++
		c.insts += len(plain.insts)
	}
	switch d := differ(plain, labelled); {
	case d == nil:
	case !hasLabels:
		c.outside = append(c.outside, d)
	case d.different == 0:
		c.noops = append(c.noops, d)
	default:
		c.others = append(c.others, d)
	}
}

// differ returns how a function differs, nil if it does not.
func differ(plain, labelled *code) *difference {
	a, b := slices.Clone(plain.insts), slices.Clone(labelled.insts)
	same := func(x, y inst) bool { return x.op == y.op }
	if slices.EqualFunc(a, b, same) {
		return nil
	}
	isNoop := func(i inst) bool { return i.noop }
	a, b = slices.DeleteFunc(a, isNoop), slices.DeleteFunc(b, isNoop)
	d := &difference{name: plain.name, insts: len(plain.insts)}
	d.more = len(labelled.insts) - len(b) - (len(plain.insts) - len(a))
	d.different = len(a) + len(b) - 2*common(a, b)
	for i := range min(len(a), len(b)) {
		if !same(a[i], b[i]) {
			d.first = fmt.Sprintf("instruction %d: %s, was %s", i, b[i].text, a[i].text)
			break
		}
	}
	return d
}

// common returns the length of a longest common subsequence of opcodes.
func common(a, b []inst) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x.op == y.op {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// add adds what another comparison has found.
func (c *comparison) add(o *comparison) {
	c.functions += o.functions
	c.insts += o.insts
	c.noops = append(c.noops, o.noops...)
	c.others = append(c.others, o.others...)
	c.missing = append(c.missing, o.missing...)
	c.outside = append(c.outside, o.outside...)
}

// different returns the number of instructions that differ, without no-ops.
func (c *comparison) different() (n int) {
	for _, d := range c.others {
		n += d.different
	}
	return n
}

// print prints what differs.
func (c *comparison) print(w io.Writer, verbose bool) {
	more := 0
	for _, d := range slices.Concat(c.noops, c.others) {
		more += d.more
	}
	equal := c.functions - len(c.noops) - len(c.others)
	fmt.Fprintf(w, "%d functions with labels, %d with the same opcodes (%.2f%%), %d with other no-ops only, %d with others; ",
		c.functions, equal, 100*float64(equal)/float64(max(1, c.functions)), len(c.noops), len(c.others))
	fmt.Fprintf(w, "of %d instructions %d differ, and there are %d more no-ops; %d other functions differ\n",
		c.insts, c.different(), more, len(c.outside))
	for _, d := range slices.Concat(c.others, c.outside, c.noops) {
		if d.different > 0 || verbose {
			fmt.Fprintf(w, "\t%s: %d of %d instructions, %+d no-ops", d.name, d.different, d.insts, d.more)
		}
		if d.first != "" && verbose {
			fmt.Fprintf(w, ", first %s", d.first)
		}
		if d.different > 0 || verbose {
			fmt.Fprintln(w)
		}
	}
	for _, name := range c.missing {
		fmt.Fprintf(w, "\t%s is in one program only\n", name)
	}
}
