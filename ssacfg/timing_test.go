package ssacfg

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/timing"
)

// timed has a function of each kind; behind // TIME is where a point belongs.
const timed = `package p

var sink int

func work(x int) int { sink += x; return sink }

func once(x int) int { return work(x) + work(x+1) }

func tight(a []int) (n int) {
	for _, x := range a {
		if x > 0 {
			n += x
		}
	}
	return n
}

func heavy(a []int) (n int) {
	for i := 0; i < len(a); i++ { // TIME
		n += work(work(work(a[i])))
		n += work(work(work(a[i])))
		n += work(work(work(a[i])))
	}
	return n
}

func skips(a []int) (n int) {
	for _, x := range a {
		if x == 0 {
			continue
		}
		n += x // TIME
		n += work(work(work(work(work(work(work(x)))))))
	}
	return n
}

func outer(a [][]int) (n int) {
	for _, b := range a {
		for _, x := range b {
			n += x
		}
		n += work(work(work(work(work(work(work(n))))))) // TIME
	}
	return n
}

func maySkip(a []int) (n int) {
	for _, x := range a {
		n += x
		if x == 0 {
			n += work(work(work(x)))
			continue
		}
		if x == 1 {
			n += work(work(work(x)))
		}
	}
	return n
}
`

func TestTiming(t *testing.T) {
	lines := strings.Split(timed, "\n")
	shortest := timing.Measured
	shortest.Mean = false // what is asserted is which ways there are
	refused := map[string]timing.Reason{"tight": timing.Tight, "maySkip": timing.Tight}
	checked := 0
	for _, fn := range analyzeSource(t, timed) {
		// Each edge is taken a thousand times for one call.
		g, places := fn.Timing()
		for i := range g.Blocks {
			if g.Blocks[i].Freq *= 1000; i == g.Entry || i == len(g.Blocks)-1 {
				g.Blocks[i].Freq = 1
			}
		}
		c := timing.Choose(g, shortest)
		from, to := fn.File.FileStart, fn.Body.End()
		for _, p := range c.Points {
			line := strings.Count(timed[:places[p.Block].Pos-from], "\n")
			if !strings.Contains(lines[line], "// TIME") {
				t.Errorf("%s: a point on line %d", fn.Name, line+1)
			}
		}
		if want := strings.Count(timed[fn.Body.Pos()-from:to-from], "// TIME"); len(c.Points) != want {
			t.Errorf("%s: points %+v, want %d", fn.Name, c.Points, want)
		}
		if want, ok := refused[fn.Name]; ok && (len(c.Loops) != 1 || c.Loops[0].Refused != want) {
			t.Errorf("%s: loops %+v, want %s", fn.Name, c.Loops, want)
		}
		checked++
	}
	if checked != 7 {
		t.Errorf("%d functions", checked)
	}
}

// TestTimingCost holds that what is left out of a graph makes nothing cheaper than it is. The costs of blocks and edges of a way
// are those of its instructions.
func TestTimingCost(t *testing.T) {
	const src = `package p

func f(a []float64, n int) (x float64) {
	for i := 0; i < n; i++ {
		if a[i] != 0 {
			x /= a[i]
		}
	}
	return x
}
`
	total := timingCost(t, src)
	const loop, condition, divide = costSimple + costSimple, costIndex + costLoad + costFloat, costIndex + costLoad + costDivide
	if want := uint64(loop + condition + divide); total != want {
		t.Errorf("cost %d, want %d", total, want)
	}
}

// timingCost returns the costs of all blocks and edges of the first function of a file.
func timingCost(t *testing.T, src string) (total uint64) {
	g, _ := analyzeSource(t, src)[0].Timing()
	for _, b := range g.Blocks {
		total += b.Before + b.After
	}
	for _, e := range g.Edges {
		total += e.Cost
	}
	return total
}

// TestTimingRange has loops that count in two ways, which cost the same.
func TestTimingRange(t *testing.T) {
	loop := timingCost(t, "package p; func f(n int) (x int) { for i := 0; i < n; i++ { x ^= i }; return x }")
	counts := timingCost(t, "package p; func f(n int) (x int) { for i := range n { x ^= i }; return x }")
	if counts != loop {
		t.Errorf("a range over an integer costs %d, a loop that counts %d", counts, loop)
	}
}
