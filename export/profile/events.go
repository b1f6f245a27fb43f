package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Events are what was counted besides paths at a place in a function.
type Events struct {
	*table.Selector
	Count  int64   // of all values
	Values []Value // the most frequent first
}

// A Value is one that events had.
type Value struct {
	Name    string // of a function as the linker has it, or a string, maybe its beginning; of a number, in decimal
	Number  int64  // unless it has a name
	Other   bool   // all others, for which there was no room
	Unnamed bool   // all that have a name which is not known
	Count   int64
	Samples int64 // that the estimate Count is made from, if it is one
}

// Known reports whether it is known what the value is called.
func (v *Value) Known() bool { return !v.Other && !v.Unnamed }

// FunctionEvents are what was counted besides paths at a place, and the function that has it.
type FunctionEvents struct {
	Function *Function
	*Events
}

// Name returns the kind of events as -kinds names it.
func (e *Events) Name() string {
	if e.Kind == table.Numbers || e.Kind == table.Texts {
		return "values"
	}
	return string(e.Kind)
}

// Events returns the events of a profile that were counted or declined, in source order.
func (p *Profile) Events() (list []FunctionEvents) {
	for _, f := range p.Functions() {
		for i := range f.Events {
			list = append(list, FunctionEvents{f, &f.Events[i]})
		}
	}
	return list
}

// Show returns a value as people read it: strings with quotes.
func (e *Events) Show(v Value) string {
	if e.Kind == table.Texts && v.Known() {
		return strconv.Quote(v.Name)
	}
	return show.Printable(v.Name)
}

// valueMethod returns what a method is called whose receiver is no pointer, where its name is that of a wrapper: p.(*T).M is
// p.T.M.
func valueMethod(name string) string {
	before, rest, ok := strings.Cut(name, "(*")
	if end := strings.LastIndex(rest, ")."); ok && end >= 0 {
		return before + rest[:end] + rest[end+len(")"):]
	}
	return name
}

// NumberOf returns the number by which a value that has a name is counted where counts of several runs are added up. The number
// is a part of the name's SHA-256: so sums need no list of names in common. The upper bits, which mean something else in hash
// tables, are 0. Two names have the same number with a probability of one to 2⁶¹, and would count as one.
func NumberOf(name string) uint64 {
	number := beginning(name)
	if number == Unnamed {
		number ^= 1
	}
	return number
}

// Unnamed is the number of all values whose names are not known: the beginning of the SHA-256 of "?". Archives have always had
// it. So NumberOf gives another one to a string "?".
var Unnamed = beginning(unnamed)

func beginning(name string) uint64 {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:]) >> 3
}

// A namer gives the values that have names in a run numbers that are the same in all runs. It has their names by NumberOf.
type namer map[uint64]string

// renamed returns a package of a run with such numbers in the hash tables of selectors in place of the values.
func (n namer) renamed(p *rundata.Package, t *table.Package, names map[uint64]rundata.Name) *rundata.Package {
	var renamed *rundata.Package
	for i := range t.Functions {
		f := &t.Functions[i]
		for j := range f.Selectors {
			s := &f.Selectors[j]
			if !hasNames(s, len(p.Hashes)) {
				continue
			}
			if renamed == nil {
				copied := *p
				copied.Hashes = slices.Clone(p.Hashes)
				renamed = &copied
			}
			renamed.Hashes[s.Hash] = n.rename(p.Hashes[s.Hash], s, names, NumberOf)
		}
	}
	return cmp.Or(renamed, p)
}

// hasNames reports whether a selector has one of so many hash tables, and its values have names.
func hasNames(s *table.Selector, hashes int) bool {
	return s.Kind.Named() && s.Hash >= 0 && s.Hash < hashes
}

// rename returns the counts of a selector's values by their numbers, given NumberOf or what does the same.
func (n namer) rename(
	counts map[uint64]uint64, s *table.Selector, names map[uint64]rundata.Name, number func(string) uint64,
) map[uint64]uint64 {
	flags := uint64(runfile.SamplesOf)
	if s.Kind == table.Calls {
		flags |= event.ElectedOf
	}
	renamed := make(map[uint64]uint64, len(counts))
	for v, count := range counts {
		renamed[n.of(v&^flags, names, number)|v&flags] += count
	}
	return renamed
}

// unnamed is what values are called for which there was no room among the names.
const unnamed = "?"

// of returns the number of a value.
func (n namer) of(v uint64, names map[uint64]rundata.Name, numberOf func(string) uint64) uint64 {
	if v == event.OtherValue {
		return v
	}
	name, ok := names[v]
	if !ok {
		return Unnamed
	}
	if name.ByValue {
		name.Text = valueMethod(name.Text)
	}
	number := numberOf(name.Text)
	n[number] = name.Text
	return number
}

// decodeEvents sets f.Events.
func (f *Function) decodeEvents(c *counts, names namer, b *sums.Budget) error {
	kept := method.Of(c.table.MethodOfEvents())
	for i := range f.Table.Selectors {
		s := &f.Table.Selectors[i]
		e := Events{Selector: s}
		if s.Hash >= 0 {
			for v, count := range c.hash(s.Hash) {
				if v&runfile.SamplesOf != 0 || count == 0 {
					continue
				}
				value := Value{Samples: int64(c.hash(s.Hash)[v|runfile.SamplesOf])}
				value.Count = int64(kept.Executions(count))
				switch {
				case v == event.OtherValue:
					value.Other, value.Name = true, "others"
				case !s.Kind.Named():
					if value.Number = int64(v); s.Kind == table.Numbers {
						value.Number = table.Number(v)
					}
					value.Name = fmt.Sprint(value.Number)
				case v == Unnamed:
					value.Unnamed, value.Name = true, unnamed
				default:
					name, ok := names[v]
					if !ok {
						return fmt.Errorf("selector on line %d: value without a name", s.Line)
					}
					value.Name = name
				}
				if err := b.Spend(count, 1); err != nil {
					return err
				}
				e.Count += value.Count
				e.Values = append(e.Values, value)
			}
		}
		slices.SortFunc(e.Values, func(a, b Value) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Name, b.Name))
		})
		f.Events = append(f.Events, e)
	}
	return nil
}
