package steps

// What is here has been told wrongly before.

type ring struct {
	data        []byte
	front, rear int
	head        int64
}

func (r *ring) available() int {
	delta := r.rear - 1 - r.front
	if delta < 0 {
		delta += len(r.data)
	}
	return delta
}

func (r *ring) len() int {
	n := r.available()
	if int64(n) > r.head {
		return int(r.head)
	}
	return n
}

// at has a condition that is constant in one of the calls that are inlined, and a call in the next (xz's ByteAt).
func (r *ring) at(distance int) byte {
	if !(0 < distance && distance <= r.len()) {
		return 0
	}
	i := r.rear - distance
	if i < 0 {
		i += len(r.data)
	}
	return r.data[i]
}

// Literal has a shift between both calls, a part of which is SBBL R, R.
func (r *ring) Literal(lp, rep uint) int {
	state := uint32(r.at(1)) >> (8 - lp) & (1<<lp - 1)
	return int(state) + int(r.at(int(rep)+1))
}

type props struct{ lead, flags, ccc uint8 }

func (p props) combines() bool { return p.flags&8 != 0 }

// Comp has a jump that tests a bit as the operand on the right (x/text's compInfo).
//
//go:noinline
func Comp(v uint16) props {
	p := props{ccc: uint8(v), flags: uint8(v>>8) & 0x3f}
	if p.ccc > 0 || p.combines() {
		p.lead = p.flags & 3
	}
	return p
}

type expr interface{ weight() int }
type name struct{ n int }
type call struct{ adjust bool }
type dots struct{}

func (x *name) weight() int { return x.n }
func (x *call) weight() int { return 2 }
func (x *dots) weight() int { return 3 }

// Return has a type switch that control leaves by a jump without position, and a loop behind it (gopher-lua's compileReturnStmt).
//
//go:noinline
func Return(list []expr) (n int) {
	if len(list) == 1 {
		switch x := list[0].(type) {
		case *name:
			if x.n > 3 {
				return x.n
			}
		case *call:
			if x.adjust {
				n += use(x)
			} else {
				n -= use(x)
			}
			return n
		}
	}
	for i, x := range list {
		if i == len(list)-1 && isDots(x) {
			n += 7
		} else {
			n += use(x)
		}
	}
	return n
}

//go:noinline
func use(x expr) int {
	if x == nil {
		return 1
	}
	return x.weight()
}

func isDots(x expr) bool {
	switch x.(type) {
	case *name:
		return false
	case *dots:
		return true
	}
	return false
}

// Asserts has a jump of a type assertion in front of that of the condition (go/parser's parseParameterList).
//
//go:noinline
func Asserts(list []expr, last bool) (n int) {
	for i := range list {
		x := &list[i]
		if t, _ := (*x).(*dots); t != nil && (!last || i+1 < len(list)) {
			n++
			*x = &name{i}
		}
	}
	return n
}

// Each has a literal that is copied where each is inlined (esbuild's declareBinding).
func Each(list []int, even bool) (n int) {
	every(list, func(x int) {
		if !even || x%2 == 0 && x > 2 {
			n += x
		}
	})
	return n
}

func every(list []int, do func(int)) {
	if len(list) > 0 {
		do(list[0])
		every(list[1:], do)
	}
}

// Clears has loops that the compiler makes calls of.
//
//go:noinline
func Clears(list []int, m map[int]int) int {
	for i := range list {
		list[i] = 0
	}
	for k := range m {
		delete(m, k)
	}
	return len(m)
}

type checker struct {
	filter [32]byte
	cases  []int
}

func (c *checker) reset() {
	c.cases = c.cases[:0]
	for i := range c.filter {
		c.filter[i] = 0
	}
}

// Resets has a loop that is cleared in a call which is inlined (esbuild's duplicateCaseChecker).
func Resets(n int) int {
	var c checker
	for i := range n {
		c.reset()
		c.cases = append(c.cases, i)
		use(&name{int(c.filter[i%32])})
	}
	return len(c.cases)
}

type value struct {
	kind int
	p    *int
}

func (v value) isNil() bool { return v.p == nil }

// Encodes has a condition that is the result of a call, which is inlined and compares what is in memory (cbor's arrayEncodeFunc).
//
//go:noinline
func Encodes(v *value, null *bool) int {
	if v.kind == 3 && v.isNil() && *null {
		return use(&name{v.kind})
	}
	return v.kind
}

//go:noinline
func fails(n int) (size int, err error) {
	if n%3 == 0 {
		use(&name{n})
		return 0, errOdd
	}
	return n, nil
}

var errOdd error = &oddError{}

type oddError struct{ n int }

func (e *oddError) Error() string { return "odd" }

// wide has an interface that is compared with nil, and no other evidence of what follows.
func wide(n int) (size int, isWide bool, err error) {
	size, err = fails(n)
	if err != nil {
		return
	}
	isWide = size > 5
	return
}

// Wides compares interfaces, with nil and with each other (cbor's wellformedHeadWithIndefiniteLengthFlag and newTypeInfo).
//
//go:noinline
func Wides(n int) int {
	size, isWide, err := wide(n)
	if err != nil {
		if err == errOdd {
			return use(&name{n})
		}
		return -1
	}
	if isWide {
		return use(&name{size + 1})
	}
	return size
}

// Matches has a variable that is constant where control leads past the test of it (regexp's doOnePass).
//
//go:noinline
func Matches(list []int, last bool) (n int) {
	matched := false
	for _, x := range list {
		switch {
		case x == 3:
			matched = true
			goto Return
		case x > 17:
			goto Return
		case x%2 == 1 && last:
			n += use(&name{x})
		}
		last = isOdd(x)
	}
Return:
	if !matched {
		return use(&name{n})
	}
	return n + use(nil)
}

// ends has a switch of two edges, one jump of which asks for a range, and returns of constants (html/template's isComment).
func ends(kind int) bool {
	switch kind {
	case 3, 7, 8, 9, 20:
		return true
	}
	return false
}

// Ends calls ends for what it decides on.
//
//go:noinline
func Ends(list []int) (n int) {
	for _, x := range list {
		if ends(x) {
			n += use(&name{x})
		} else {
			n -= use(nil)
		}
	}
	return n
}

func isNaN(f float64) bool { return f != f }

// Before has two jumps for whether the operand on the left is a NaN, with the position of && (sort's Float64Slice.Less).
//
//go:noinline
func Before(x, y float64) bool { return x < y || (isNaN(x) && !isNaN(y)) }

// Collatz asks for the lowest bit of a number. The flag that the machine has it in is that of compares: less.
func Collatz(n int) (steps int) {
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

// Bits asks whether a bit is there, by a compare with the bit.
func Bits(list []int) (n int) {
	for _, v := range list {
		if v&64 == 64 {
			n += 3 * v
		} else {
			n ^= v
		}
		if v&1024 != 1024 {
			n += v / 3
		}
	}
	return n
}

var none [0]int

// Default makes a bool of a condition, and a conditional move of the bool (regexp's doExecute).
//
//go:noinline
func Default(list []int, r *int, n int) []int {
	if list == nil {
		list = none[:0:0]
	}
	if r == nil && n < 3 {
		return nil
	}
	return append(list, n)
}

// In returns the bool that the last of several conditions is (regexp's queueOnePass).
//
//go:noinline
func In(sparse, dense []uint32, u uint32) bool {
	if u >= uint32(len(sparse)) {
		return false
	}
	return sparse[u] < 5 && dense[sparse[u]] == u
}

func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\n') }

// Blanks compares with one of two constants at once (encoding/json's isSpace).
//
//go:noinline
func Blanks(text string) (n int) {
	for i := range len(text) {
		if isBlank(text[i]) {
			n += use(&name{i})
		} else {
			n -= use(nil)
		}
	}
	return n
}

// Halves asks for what an inlined call returns. Nothing but what is computed behind tells the sides (sort's Search).
//
//go:noinline
func Halves(list []int, x int) int {
	return halves(len(list), func(i int) bool { return list[i] >= x })
}

func halves(n int, f func(int) bool) int {
	i, j := 0, n
	for i < j {
		h := int(uint(i+j) >> 1)
		if !f(h) {
			i = h + 1
		} else {
			j = h
		}
	}
	return i
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }

func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }

// Name asks for what an inlined call returns, by a jump behind a condition of the call (html/template's eatTagName).
//
//go:noinline
func Name(text string) int {
	j := 0
	for j < len(text) {
		if isAlphanumeric(text[j]) {
			j++
			continue
		}
		break
	}
	return j
}

type section struct {
	from, to *ring
	end      int
}

type opener struct {
	known map[int]*ring
	from  *ring
}

func (o *opener) ring(k int) *ring {
	r := o.known[k]
	if r == nil {
		r = made(k)
	}
	return r
}

//go:noinline
func made(k int) *ring {
	if k < 0 {
		return nil
	}
	return &ring{head: int64(k)}
}

func newSection(r *ring, off, n int) *section {
	var end int
	if off <= 1<<62-n {
		end = off + n
	} else {
		end = 1 << 62
	}
	return &section{r, r, end}
}

var sections *section

// Open has a jump in an inlined call with the position of a branch in another, which has become a conditional move (archive/zip).
//
//go:noinline
func (o *opener) Open(k, off, n int) int {
	s := newSection(o.from, off, n)
	sections = s
	r := o.ring(k)
	if r == nil {
		return -s.end
	}
	return use(&name{k}) + s.end
}

// Twice asks for its parameter twice, in one compare. The second jump has lost its position to the conditional move (gopher-lua's
// callGFunction).
//
//go:noinline
func (o *opener) Twice(tail bool, want int) int {
	got := use(&name{want})
	if tail {
		o.from = o.ring(want)
	}
	if got < 0 {
		return use(nil)
	}
	n := want
	if n == -1 {
		n = got
	}
	if tail && o.from != nil && o.from.available() == 1 {
		return n + use(&name{n})
	}
	return 3*n + got
}

var most = 7

// whole asks for an order of floating-point numbers with a constant, and nothing else tells the sides (gopher-lua's isArrayKey).
func whole(x float64) bool { return x > 0 && x < float64(most) }

//go:noinline
func Whole(list []float64) (n int) {
	for _, x := range list {
		if whole(x) {
			n += use(&name{int(x)})
		} else {
			n++
		}
	}
	return n
}

// Empties clears what is behind a length, by one call. How many rounds that stands for is in a register (gopher-lua's
// callGFunction).
//
//go:noinline
func Empties(list []expr, n int) (rest []expr) {
	if n < len(list) {
		behind := list[n:]
		for i := range behind {
			behind[i] = nil
		}
		use(nil)
	}
	return list[:min(n, len(list))]
}

// Limits asks for a variable that has one value there, in front of a loop and in it (gopher-lua's callGFunction).
//
//go:noinline
func Limits(list []int, n int) (sum int) {
	limit := -1
	if limit == -1 || limit > n {
		limit = n
	}
	for i := 0; i < limit; i++ {
		sum += use(&name{i})
	}
	least := -1
	for _, v := range list {
		if least == -1 || least > v {
			least = v
		}
		sum += use(&name{least})
	}
	return sum
}

var fallback = new(ring)

// found says whether a map has an element, and nothing else tells the sides (gopher-lua's RawGetString).
func found(m map[string]*ring, name string) *ring {
	if v, ok := m[name]; ok {
		return v
	}
	return fallback
}

//go:noinline
func Finds(m map[string]*ring, names ...string) (n int) {
	for _, name := range names {
		n += use(nil) + int(found(m, name).head)
	}
	return n
}

func larger(a, b int) int {
	if a > b {
		return a
	} else {
		return b
	}
}

// Larger has a constant for a parameter, which the compare does not have (gopher-lua's intMax).
//
//go:noinline
func Larger(list []int) (n int) {
	for _, v := range list {
		if use(nil) > 0 {
			v = larger(v, 0)
		} else {
			v = larger(1, v)
		}
		n += v
	}
	return n
}

type literal int

func (n literal) weight() int { return int(n) }

var kept expr = &name{1}

func differs(x expr, y any) bool { return x != kept && any(x) != y }

// Differ compares interfaces, and asks for the outcome as a number (gopher-lua's LVAsBool).
//
//go:noinline
func Differ(list []expr, y any, odd int) (n int) {
	for _, x := range list {
		if differs(x, y) == (odd == 0) {
			n += use(nil)
		}
	}
	return n
}

//go:noinline
func less(a, b int) bool { return a < b }

// Late makes a number of what a call returns (gopher-lua's OP_LT).
//
//go:noinline
func Late(a, b int, n *int) int {
	ret := less(a, b)
	v := 1
	if ret {
		v = 0
	}
	if v == b {
		*n++
	}
	return 0
}

type window struct {
	data  []byte
	front int
	head  int64
}

func (w *window) length() int {
	capacity := len(w.data) - 1
	if w.head >= int64(capacity) {
		return capacity
	}
	return int(w.head)
}

func (w *window) byteAt(distance int) byte {
	if !(0 < distance && distance <= w.length()) {
		return 0
	}
	i := w.front - distance
	if i < 0 {
		i += len(w.data)
	}
	return w.data[i]
}

// Pair makes one conditional move for two calls that are inlined, and the jump behind the second has the position of what became
// that (xz's dictLen).
//
//go:noinline
func (w *window) Pair(n uint32) int {
	previous := w.byteAt(1)
	return int(previous)<<(n&7) + int(w.byteAt(int(n)+1))
}

// Either returns what the last of two calls returns, if control comes to it (toml's isMarshaler).
//
//go:noinline
func Either(a, b interface{ at(distance int) byte }, f func(int) bool) bool {
	return f(int(a.at(1))) || f(int(b.at(2)))
}

func comma(text string, i int, end byte) (n int, ok bool) {
	for ; i < len(text); i++ {
		switch text[i] {
		default:
			return i, false
		case ' ', '\t', '\n', '\r':
			continue
		case ',':
			return i, true
		case end:
			return i, true
		}
	}
	return i, false
}

// Commas has a constant for the value of a case (gjson's validcomma).
//
//go:noinline
func Commas(text string) (n int) {
	for i := 0; i < len(text); i++ {
		var ok bool
		if i, ok = comma(text, i, '}'); !ok {
			n++
		} else if text[i] == '}' {
			return n
		}
	}
	return -n
}

type span struct{ lo, hi byte }

// Lookup has a jump that is led past another, whose outcome follows (x/text's sparseBlocks.lookup).
//
//go:noinline
func Lookup(list []span, b byte) int {
	lo, hi := 0, len(list)
	for lo < hi {
		m := lo + (hi-lo)/2
		s := list[m]
		if s.lo <= b && b <= s.hi {
			return m
		}
		if b < s.lo {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return -1
}

type properties struct{ size, ccc, lead, flags uint8 }

func (p properties) back() bool { return p.flags&8 != 0 }

// Lead computes something behind one of two ways that lead there (x/text's compInfo).
//
//go:noinline
func Lead(v uint16) (p properties) {
	p = properties{size: 2, ccc: uint8(v), flags: uint8(v >> 8)}
	if p.ccc > 0 || p.back() {
		p.lead = p.flags & 3
	}
	return p
}

// Made makes a bool of whether an interface is nil, and a conditional move of the bool (archive/zip's readDirectoryEnd).
//
//go:noinline
func Made(x expr, n int) int {
	if n > 0 {
		if same(x) == nil {
			n = 0
		}
	}
	return n
}

//go:noinline
func same(x expr) expr { return x }

// Scan has increments without jumps: one is a conditional move, and of the other the bool is added. Both are of variables.
//
//go:noinline
func Scan(text []byte) (words, quoted int) {
	inWord, inQuote := false, false
	for _, c := range text {
		switch {
		case c == '"':
			inQuote = !inQuote
			inWord = false
		case c == ' ' || c == '\n':
			inWord = false
		default:
			if !inWord {
				words++
			}
			inWord = true
			if inQuote {
				quoted++
			}
		}
	}
	return words, quoted
}

// Counts has increments whose conditions are negated, and next to one another.
//
//go:noinline
func Counts(list []int, limit int) (a, b, c, d int) {
	below, odd := false, false
	for _, n := range list {
		not := !below
		if not {
			a++
		}
		b += n
		if !odd {
			c++
		}
		if below {
			d++
		}
		below, odd = n < limit, n&1 != 0
	}
	return a, b, c, d
}

// Interrupts tests a bool that is made on three ways, behind where they meet: two set it, and a call returns it. It is in the
// frame, as there are too many variables for registers.
//
//go:noinline
func Interrupts(parent, reader, context blocker, byFirst [][]blocker, blank bool, limit int) (opened int) {
	inside, result := false, 3
	last, by := context.last()
	if last != nil {
		inside = last.interrupts()
	}
retry:
	var list []blocker
	width, first := reader.peek()
	context.set(first)
	if first < len(byFirst) {
		list = byFirst[first]
	}
	for _, b := range list {
		if inside && result == 3 && !b.interrupts() {
			continue
		}
		if width > limit && !b.indented() {
			continue
		}
		last, by = context.last()
		node, more := b.open(parent, reader, context)
		if node != nil {
			if more&2 != 0 && last == parent {
				by.set(width)
				inside = false
				goto retry
			}
			if node.set(len(byFirst)); blank && last != nil {
				node.set(width)
			}
			result = 1
			if more&1 != 0 {
				parent = node
				goto retry
			}
			break
		}
	}
	if result == 3 && inside && by.indented() {
		result = 2
	}
	return result
}

type blocker interface {
	interrupts() bool
	indented() bool
	last() (node, by blocker)
	peek() (width, first int)
	set(n int)
	open(parent, reader, context blocker) (node blocker, more int)
}

// A paragraph is a blocker that does what its members say.
type paragraph struct {
	yes, may, opens bool
	width, n, more  int
	behind          blocker
	next            *paragraph
}

func (p *paragraph) interrupts() bool { return p.yes }
func (p *paragraph) indented() bool   { return p.may }
func (p *paragraph) set(n int)        { p.n += n & 1 }

func (p *paragraph) last() (node, by blocker) { return p.behind, p }

func (p *paragraph) peek() (width, first int) {
	p.n++
	return p.width, p.n
}

func (p *paragraph) open(_, _, _ blocker) (node blocker, more int) {
	if p.opens {
		return p, p.more
	}
	return nil, 0
}

// Nearest has a comparison with zero whose outcome is a bool, as it calls, and of which the contrary is a comparison with zero, too
// (go/types, lookupScope).
//
//go:noinline
func Nearest(p *paragraph, limit int) (n int) {
	for ; p != nil; p = p.next {
		if q := p.find(limit); q != nil && (limit != 0 || difference(q.place(), p.width) <= 0) {
			return n
		}
		n++
	}
	return -1
}

type placed interface{ place() int }

func (p *paragraph) place() int { return p.n }

//go:noinline
func (p *paragraph) find(limit int) placed {
	if p.more > limit {
		return p
	}
	return nil
}

// difference is one that is inlined.
func difference(a, b int) int { return a - b }

// A speller reads a text, and panics behind its end.
type speller struct {
	text string
	read int
}

//go:noinline
func (s *speller) next() byte {
	if s.read++; s.read > len(s.text) {
		panic("no end")
	}
	return s.text[s.read-1]
}

// skip is inlined, and calls.
func (s *speller) skip() byte {
	s.read++
	return s.next()
}

// Spells has loops whose last statement panics, behind a round that counts (toml's valueArray).
func Spells(text string) (n int) {
	defer func() {
		if recover() != nil {
			n = -1
		}
	}()
	s := &speller{text: text}
	return s.letters() + s.pairs() + s.steps(2) + s.words()
}

//go:noinline
func (s *speller) letters() (n int) {
	for c := s.next(); c != ']'; c = s.next() {
		if c == '#' {
			s.next()
			continue
		}
		n += int(c & 3)
	}
	return n
}

//go:noinline
func (s *speller) pairs() (n int) {
	for a, b := s.next(), s.next(); a != b; a, b = s.next(), s.next() {
		n += int(a - b)
	}
	return n
}

//go:noinline
func (s *speller) steps(k int) (n int) {
	for c := s.next(); c != ']'; c = s.skip() {
		n += k
	}
	return n
}

// words has such a loop in another, whose rounds begin with no call.
//
//go:noinline
func (s *speller) words() (n int) {
	for i := 0; i < 3; i++ {
		for c := s.next(); ; c = s.skip() {
			if c == ' ' {
				break
			}
			if c == '.' {
				return n
			}
		}
	}
	return -n
}

// Closes has deferred calls that panic where it ends (conc's callbacker).
func Closes(list []int) (n int) {
	defer func() {
		if recover() != nil {
			n = -1
		}
	}()
	closesOne(list, &n)
	closesAll(list, &n)
	return n
}

//go:noinline
func closesOne(list []int, n *int) {
	s := &speller{text: "abc"}
	defer s.leave(len(list))
	for _, v := range list {
		if v > 20 {
			return
		}
		*n += v
	}
}

//go:noinline
func closesAll(list []int, n *int) {
	s := &speller{text: "abcd"}
	for _, v := range list {
		if v > 12 {
			defer s.next()
		}
	}
	if len(list) > 5 {
		*n++
	}
}

//go:noinline
func (s *speller) leave(n int) {
	for ; n > 0; n -= 4 {
		s.next()
	}
}

// Tries returns what a function gives that is written in the return statement, and panics (lo's Try0).
func Tries(text string) bool {
	s := &speller{text: text}
	return try(func() error {
		s.next()
		return nil
	})
}

//go:noinline
func try(f func() error) (ok bool) {
	defer func() { ok = recover() == nil }()
	return f() == nil
}
