package steps

import (
	"math"
	"testing"
)

func Test(t *testing.T) {
	var list []int
	for i := range 100 {
		list = append(list, i*i%23)
	}
	t.Log(Classify("the quick brown fox, 0123456789; jumps over the lazy dog: ABC"))
	t.Log(Clamp(list, 5, 17), Both(list, true, false), Both(list, false, true), Both(list, true, true), Pairs(list))
	t.Log(Fall(2000))

	by := &[256]int{' ': 1, '.': 2, 'a': 300, '-': 4}
	for _, text := range []string{"", "a. b", ".a", " a,\tb", "-1.", "aaaaaaaa", "\t"} {
		t.Log(Signs(text, false, by), Signs(text, true, by))
	}

	r := ring{data: []byte("abracadabra"), front: 3, rear: 2}
	for i := range 40 {
		r.rear, r.head = i%11, int64(i/3)
		t.Log(r.Literal(uint(i%9), uint(i%13)))
	}
	for v := range uint16(0x1800) {
		Comp(v * 5)
	}
	lists := [][]expr{{nil}, {&name{2}}, {&name{5}}, {&call{true}}, {&call{false}}, {&dots{}}, {&name{1}, &dots{}}, {&dots{}, &call{}}, {}}
	for _, list := range lists {
		t.Log(Return(list), Asserts(list, true), Asserts(list, false))
	}
	t.Log(Each(list, true), Each(list, false), eachAgain(list), Clears(list, map[int]int{1: 2}), Clears(nil, nil))
	null, full := true, false
	for kind := range 5 {
		for _, p := range []*int{nil, &kind} {
			t.Log(Encodes(&value{kind, p}, &null), Encodes(&value{kind, p}, &full), Resets(kind))
		}
	}
	for _, x := range []float64{1, 2, math.NaN()} {
		for _, y := range []float64{1, math.NaN()} {
			t.Log(Before(x, y))
		}
	}
	for n := range 10 {
		o := outer{"o", inner{n}}
		t.Log(Sizes([]sizer{o, &o, o.inner, &o.inner}), Gets([]getter{&box[int]{n}, &box[int]{2}}), Folds(n), Defers(n), Applies(n), Wides(n))
		t.Log(Leasts(list[n:]), Ends(list[n:]), Matches(list[n:n+5], n%2 == 0), Searches(list[:n+3], n))
		t.Log(Firsts(make([]int, n+1), first[int]), o.size(), zeros(), start, o.inner.size())
	}
	if Collatz(27) != 111 || Collatz(97) != 118 {
		t.Error("Collatz")
	}
	var bits []int
	for i := range 100 {
		bits = append(bits, i*37)
	}
	t.Log(Bits(bits), Floors(1), Floors(2), Floors(3))
	Formats()
	o := &opener{known: map[int]*ring{1: {}, 2: {head: 3}}}
	for k := range 6 {
		t.Log(Differ([]expr{kept, nil, &name{k}, literal(k), literal(3)}, literal(3), k%2), Late(k, 1, new(int)), Late(3, k%2, new(int)))
		for n := range uint32(4) {
			t.Log((&window{make([]byte, 3), k % 3, int64(k)}).Pair(n))
		}
		t.Log(Either(&ring{}, &ring{data: []byte{1, 2, 3, 4}, rear: 3, head: 9}, func(n int) bool { return n > k }))
		t.Log(Commas("a, b\t,\n} ,"[k:]), Commas(" , x"[:k/2]))
		t.Log(Finds(map[string]*ring{"a": {head: 3}}, "a", "b", "a"), Larger([]int{k - 3, 3 - k}))
		t.Log(len(Empties(make([]expr, k), 2)), Limits([]int{3, 1, 4, 1}, k))
		t.Log(o.Open(k-1, 1<<61, k<<59), o.Twice(k%2 == 0, k-2), Whole([]float64{float64(k) - 1, 8, math.NaN()}))
	}
	t.Log(Blanks("a b\tc\rd\ne\r\n \b"), Halves([]int{1, 3, 5, 7}, 4), Halves([]int{1, 3, 5, 7}, 1), Halves(nil, 1))
	for _, text := range []string{"", "a", "Zz09", "q/", "7-", "@", "a[", "{", " ", "\t,", " \n}", "\rx", "  "} {
		t.Log(Name(text), Commas(text))
	}
	t.Log(Made(nil, 1), Made(&name{1}, 1), Made(&name{1}, 2), Made(nil, 0))
	t.Log(Scan([]byte("a few \"quoted words\" and\n\"\" more, \"of them")))
	t.Log(Counts([]int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, 4))
	for k := range 64 {
		p := &paragraph{yes: k&1 != 0, may: k&2 != 0, opens: k&4 != 0, more: k % 3}
		q := &paragraph{yes: k&2 != 0, may: k&8 != 0, opens: true, width: k % 6, behind: p}
		t.Log(Interrupts(p, q, q, [][]blocker{{p, q}, {p}, {q, p}, {p, q}}, k&16 != 0, 3))
		q.behind = nil
		t.Log(Interrupts(p, q, &paragraph{}, [][]blocker{{q}, {p, p, q}, {q, p}}, k&32 != 0, k%6))
	}
	for k := range 27 {
		p := &paragraph{n: k % 3, width: 1, more: k / 3 % 3, next: &paragraph{n: 2, more: 1, next: &paragraph{n: k / 9, width: 1, more: 2}}}
		t.Log(Nearest(p, 0), Nearest(p, 1))
	}
	for _, text := range []string{
		"", "a", "ab]", "#ab#", "a#b]", "a]abaa", "a]abba", "]aabba", "]aaaaaa", "]aaa]x.", "]aaaa]] abc ", "]aaa]abc ",
	} {
		t.Log(Spells(text), Tries(text))
	}
	for n := range 40 {
		t.Log(Closes(list[n : n+n/2]))
	}
	for b := range byte(40) {
		t.Log(Lookup([]span{{2, 4}, {7, 7}, {9, 20}, {30, 31}}, b), Lead(uint16(b)<<8|uint16(b%3)))
	}
	for u := range 10 {
		t.Log(Default(list[:u], &u, u), Default(list[:u], nil, u), Default(nil, &u, u), Default(nil, nil, u))
		t.Log(In([]uint32{3, 7, 1, 0, 4, 2}, []uint32{3, 2, 1, 0, 5}, uint32(u)))
	}
}

func TestParts(t *testing.T) {
	t.Log(Packed([]uint64{1, 300, 1 << 40, 1<<56 - 1, 1 << 56, 1 << 63, 5}), Words("a Zz_9 /:[`{@q0"))
	t.Log(Sum(&node{2, true}, []byte("x")), Sum(&node{2, false}, []byte("yz")), Sum(&node{2, true}, nil))
	t.Log(Emptied(&filter{}), Named([]string{"eval", "arguments", "evil", "argument5", "ar_uments", "", "x"}))
	of := &node{}
	kinds := []expr{&name{1}, literal(2), &leaf{1}, nil, &branch{2}, &branch{3}, literal(4)}
	Kinds(kinds, of)
	Many(append(kinds, &twig{1}, &root{2}, kept, &call{}, &dots{}, literal(3)), of)
	known := map[string]reference{"aa": {1, 2}, "bb": {1, 3}, "cc": {2, 2}, "dd": {2, 3}}
	t.Log(Refers(known, []string{"a", "aa", "bb", "cc", "dd", "b", "bb"}, reference{1, 2}))
	t.Log(Sorted([]reference{{1, 2}, {2, 2}, {2, 2}, {1, 2}, {1, 3}, {7, 1}, {8, 1}, {5, 4}}))
	for _, hours := range []int64{-20, -12, -3, 0, 14, 15, 90} {
		t.Log(Zoned(hours * 3600e9))
	}
	nodes := []*node{{1, false}, {2, true}, {3, false}, {4, true}, {5, false}, {6, true}, {9, false}, {7, true}}
	t.Log(Notes(nodes, 3), Notes(nil, 3))
}

func TestBehind(t *testing.T) {
	for _, text := range []string{
		"", "\n\n", "##a\n\n ##b\n\t\f##\n##c\nx", " \n##ab\n \n\n##\n", "##\n##\n\n##x\n\n\n y", "##abc\n##\n##d\n",
	} {
		l := &lines{text: []byte(text)}
		l.Last()
		t.Log(len(l.text))
	}
}

func TestReturns(*testing.T) { Returns() }

func TestBools(t *testing.T) {
	for _, line := range []string{
		"\n", "a\n", "abc", "ab\\\n", "\\\n", "\\\\\n", "a\\b", "ab  \n", "ab  b", "ab  \r\n", "abc \r\n", "ab  \r!", "!b  \r\n", "ab\\n", "a!bc\n",
	} {
		t.Log(Broken([]byte(line), func() int { return len(line) }))
	}
}

func eachAgain(list []int) int { return Each(list[:30], true) + Each(list[40:], false) }

// TestNothing is one instruction, shorter than the jump to its copy.
func TestNothing(*testing.T) {}

func TestShared(t *testing.T) {
	for n := range 4 {
		t.Log(Shared([]part{{1, nil}, {2, []int{3}}, {3, nil}}[:n], func(p *part) { p.n++ }))
	}
}
