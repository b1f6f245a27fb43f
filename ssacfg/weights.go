package ssacfg

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// How often code runs is not known before the program has run. These
// factors only have to bring inner loops before outer ones, and straight code before panics.
const (
	loopFactor = 8    // iterations of a loop each time it is entered
	coldFactor = 1e-3 // share of an edge behind which the function panics
)

// weigh estimates how often each edge is taken for one call of the function. Loops repeat, branches are even, and
// blocks that end in a panic are cold.
func (g *Graph) weigh() {
	if g.even {
		for _, e := range g.Edges {
			e.Weight = 1
		}
		return
	}
	post, back := g.depthFirst()
	header := make(map[*Block]bool)
	for e := range back {
		header[e.To] = true
	}
	cold := make(map[*Block]bool)
	for _, b := range post { // successors first, but for back edges
		cold[b] = len(b.out) > 0
		for _, e := range b.out {
			if e.Kind != table.CallPanic && !cold[e.To] || back[e] {
				cold[b] = false
			}
		}
	}
	freq := map[*Block]float64{g.Blocks[0]: 1}
	for i := len(post) - 1; i >= 0; i-- {
		b := post[i]
		f := freq[b]
		if header[b] {
			f *= loopFactor
		}
		sum := 0.0
		share := make([]float64, len(b.out))
		for j, e := range b.out {
			share[j] = 1
			switch {
			case e.Kind == table.CallPanic || cold[e.To]:
				share[j] = coldFactor
			case e.Kind == table.RangeDone:
				share[j] = 1.0 / loopFactor
			}
			sum += share[j]
		}
		for j, e := range b.out {
			e.Weight = f * share[j] / sum
			if !back[e] {
				freq[e.To] += e.Weight
			}
		}
	}
}

// depthFirst returns the blocks in postorder of a depth-first search and its back edges.
func (g *Graph) depthFirst() (post []*Block, back map[*Edge]bool) {
	type frame struct {
		b    *Block
		next int
	}
	back = make(map[*Edge]bool)
	const active, done = 1, 2
	state := map[*Block]int{g.Blocks[0]: active}
	stack := []frame{{b: g.Blocks[0]}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.b.out) {
			state[top.b] = done
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		e := top.b.out[top.next]
		top.next++
		switch state[e.To] {
		case active:
			back[e] = true
		case 0:
			state[e.To] = active
			stack = append(stack, frame{b: e.To})
		}
	}
	return post, back
}
