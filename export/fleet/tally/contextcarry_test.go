package tally

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A tree has what was spent in calling contexts, by stack: a letter for each function.
type tree map[string]uint64

// contexts returns them as a run has them.
func (t tree) contexts() *rundata.Contexts {
	c := new(rundata.Contexts)
	at := map[string]int{"": -1}
	for _, stack := range slices.Sorted(maps.Keys(t)) { // parents come before their children
		at[stack] = len(c.Nodes)
		c.Nodes = append(c.Nodes, pcct.Node{
			Parent: at[stack[:len(stack)-1]], Frames: []pcct.Frame{{Name: stack[len(stack)-1:], Line: 1}}, Time: t[stack], Samples: t[stack] / 10,
		})
	}
	return c
}

// TestContextCarry has a tree grow and be folded, and holds the sums of deltas against it. A process that is started anew goes
// on.
func TestContextCarry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		tr, paths := tree{"a": 0}, tree{}
		carry := new(ContextCarry)
		spent, onPath, byStack := uint64(0), uint64(0), make(map[string]uint64)
		folded := false
		for range 30 {
			for range 5 {
				folded = folded || change(r, tr, paths)
			}
			if r.IntN(5) == 0 {
				carry = again(t, carry)
			}
			now := tr.contexts()
			now.Paths = pathsOf(r, now, paths)
			delta, _ := carry.Next(now)
			for i := range delta.Nodes {
				spent += delta.Nodes[i].Time
				byStack[stackOf(delta.Nodes, i)] += delta.Nodes[i].Time
			}
			for _, p := range delta.Paths {
				onPath += uint64(p.Time)
			}
			want, wantPath := uint64(0), uint64(0)
			for _, n := range tr {
				want += n
			}
			for _, n := range paths {
				wantPath += n
			}
			if spent != want || onPath != wantPath {
				t.Fatalf("deltas add up to %d and %d, want %d and %d", spent, onPath, want, wantPath)
			}
		}
		for stack, n := range tr {
			if !folded && byStack[stack] != n {
				t.Fatalf("%s: %d, want %d", stack, byStack[stack], n)
			}
		}
	}
}

// change spends time somewhere, maybe in a new context, or folds a leaf. Paths are in contexts, or have lost them, which is "".
func change(r *rand.Rand, tr, paths tree) (folded bool) {
	stacks := slices.Sorted(maps.Keys(tr))
	stack := stacks[r.IntN(len(stacks))]
	if r.IntN(4) == 0 && len(stack) > 1 && !slices.ContainsFunc(stacks, func(s string) bool { return len(s) > len(stack) && s[:len(stack)] == stack }) {
		tr[stack[:len(stack)-1]] += tr[stack]
		paths[""] += paths[stack]
		delete(tr, stack)
		delete(paths, stack)
		return true
	}
	if len(stack) < 5 && r.IntN(2) == 0 {
		stack += fmt.Sprintf("%c", 'a'+r.IntN(3))
	}
	n := uint64(r.IntN(50))
	tr[stack] += n
	paths[stack] += n / 2
	return false
}

// pathsOf returns the paths as a run has them.
func pathsOf(r *rand.Rand, c *rundata.Contexts, paths tree) (list []rundata.ContextPath) {
	pkg := &rundata.Package{Path: "p"}
	for i := range c.Nodes {
		if n := paths[stackOf(c.Nodes, i)]; n > 0 {
			list = append(list, rundata.ContextPath{Node: i, PathAt: rundata.PathAt{Package: pkg, Hash: -1, Number: 3},
				Time: time.Duration(n), Samples: n})
		}
	}
	if n := paths[""]; n > 0 {
		list = append(list, rundata.ContextPath{Node: -1, PathAt: rundata.PathAt{Package: pkg, Hash: -1, Number: 3},
			Time: time.Duration(n), Samples: n})
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func stackOf(nodes []pcct.Node, i int) string {
	if i < 0 {
		return ""
	}
	return stackOf(nodes, nodes[i].Parent) + nodes[i].Frames[0].Name
}

// again returns a carry that goes on from a file.
func again(t *testing.T, c *ContextCarry) *ContextCarry {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c.Sent()); err != nil {
		t.Fatal(err)
	}
	var sent SentContexts
	if err := gob.NewDecoder(&b).Decode(&sent); err != nil {
		t.Fatal(err)
	}
	out := new(ContextCarry)
	out.Restore(sent)
	return out
}
