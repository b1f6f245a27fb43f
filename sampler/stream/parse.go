//go:build !goprofinstr_std

package stream

import (
	"fmt"
	"math/bits"
	"strconv"
)

// Grammar says how specifications are written.
const Grammar = `	P256            every 256th event
	S256, F256      the same, from a random one on, and from the first on
	B256            one of each 256 events that follow each other, a random one
	R256            an event with probability 1/256
	D256            after random intervals, 256 in the mean
	CR256, CD256    the same two, and how many events there were between
	H[P256]2048     any of these in each of 2048 strata, into which a hash puts the tuples of
	                site and value; a power of two
	Hx[P256]2048    the same with the paper's own hash, which is slower
	T2[P256]2048    2048 counters up to 256 that know their tuples by tags of 2 bits
	X+A16           any of these, and its messages put together in a table of 16 tuples
	A16             that table alone
`

// Parse reads a specification as users write it: see Grammar.
func Parse(spec string) (Spec, error) {
	p := parser{text: spec}
	s := p.spec()
	if p.err == nil && p.at < len(spec) {
		p.fail("want + or the end")
	}
	if p.err != nil {
		return Spec{}, p.err
	}
	return s, nil
}

// A parser reads from text[at:], until there is an err.
type parser struct {
	text string
	at   int
	err  error
}

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("sampler %q, column %d: %s", p.text, p.at+1, want)
	}
}

// next returns the next character; 0 at the end.
func (p *parser) next() byte {
	if p.at == len(p.text) || p.err != nil {
		return 0
	}
	return p.text[p.at]
}

// take skips a character, if it is the next.
func (p *parser) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.at++
	return true
}

// spec = first [ "+" table ] | table
func (p *parser) spec() (s Spec) {
	if p.next() == 'A' {
		s.Table = p.table()
		return s
	}
	switch {
	case p.take('H'):
		s.Fold = p.take('x')
		s.Sampler = p.bracketed(p.sampler)
		s.Bits = p.power(2)
	case p.take('T'):
		s.TagBits = uint(p.number("bits of a tag", 1, MostTagBits))
		s.Sampler = p.bracketed(p.periodic)
		s.Bits = p.power(2 * Ways)
	default:
		s.Sampler = p.sampler()
	}
	if p.take('+') {
		s.Table = p.table()
	}
	return s
}

// table = "A" number
func (p *parser) table() int {
	if !p.take('A') {
		p.fail("want A and the tuples of a table, as in A16")
	}
	return p.number("tuples of a table", 1, MostTable)
}

func (p *parser) bracketed(sampler func() Sampler) Sampler {
	if !p.take('[') {
		p.fail("want a sampler in brackets, as in [P256]")
	}
	s := sampler()
	if !p.take(']') {
		p.fail("want ]")
	}
	return s
}

// sampler = ( "P" | "S" | "F" | "B" | [ "C" ] ( "R" | "D" ) ) number
func (p *parser) sampler() (s Sampler) {
	s.Counted = p.take('C')
	switch k := SamplerKind(p.next()); {
	case k == KindRandom, k == KindCountdown, !s.Counted && (k == KindBlock || Sampler{Kind: k}.isPeriodic()):
		s.Kind = k
		p.at++
	case s.Counted:
		p.fail("want R or D after C, as in CR256")
	default:
		p.fail("want P, S, F, B, R, D, CR, CD, H, T or A, as in P256, H[P256]2048 or H[P256]2048+A16")
	}
	s.Rate = uint32(p.number("a rate", 1, MostRate))
	return s
}

// periodic = "P" number
func (p *parser) periodic() Sampler {
	if !p.take('P') {
		p.fail("want P and a count, as in T2[P256]2048")
	}
	return Sampler{Kind: KindPeriodic, Rate: uint32(p.number("a rate", 1, MostRate))}
}

// power reads a number of strata, and returns its logarithm.
func (p *parser) power(least int) uint {
	start := p.at
	n := p.number("a number of strata", least, MostStrata)
	if p.err == nil && n&(n-1) != 0 {
		p.at = start
		p.fail(fmt.Sprintf("%d is no power of two; there is %d", n, 1<<bits.Len(uint(n))))
	}
	return uint(bits.TrailingZeros(uint(n)))
}

// number reads a number, of decimal digits without leading zeros.
func (p *parser) number(what string, least, most int) int {
	start := p.at
	for '0' <= p.next() && p.next() <= '9' {
		p.at++
	}
	digits := p.text[start:p.at]
	n, err := strconv.Atoi(digits)
	if err != nil || n < least || n > most || digits[0] == '0' {
		p.at = start
		p.fail(fmt.Sprintf("want %s, %d to %d", what, least, most))
	}
	return n
}

// String returns the specification as Parse reads it.
func (s Spec) String() string {
	second := ""
	if s.Table > 0 {
		second = fmt.Sprintf("A%d", s.Table)
	}
	if s.Sampler.Kind == 0 {
		return second
	}
	first := s.Sampler.String()
	switch {
	case s.TagBits > 0:
		first = fmt.Sprintf("T%d[%v]%d", s.TagBits, first, 1<<s.Bits)
	case s.Fold:
		first = fmt.Sprintf("Hx[%v]%d", first, 1<<s.Bits)
	case s.Bits > 0:
		first = fmt.Sprintf("H[%v]%d", first, 1<<s.Bits)
	}
	if second == "" {
		return first
	}
	return first + "+" + second
}

// String returns the sampler as it is written.
func (s Sampler) String() string {
	counted := ""
	if s.Counted {
		counted = "C"
	}
	return fmt.Sprintf("%s%c%d", counted, s.Kind, s.Rate)
}
