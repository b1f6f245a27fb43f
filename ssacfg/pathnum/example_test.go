package pathnum_test

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// The example of the package documentation.
func ExampleNew() {
	g := &pathnum.Graph{Blocks: 7, Entry: 0, Exit: 5, Edges: []pathnum.Edge{
		{From: 0, To: 1, Weight: 1},
		{From: 1, To: 5, Weight: 1},
		{From: 1, To: 2, Weight: 9},
		{From: 2, To: 3, Weight: 6},
		{From: 2, To: 4, Weight: 3},
		{From: 3, To: 6, Weight: 6},
		{From: 4, To: 6, Weight: 3},
		{From: 6, To: 1, Weight: 9},
	}}
	n, err := pathnum.New(g, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, op := range n.Ops {
		if code := op.String(); code != "" {
			fmt.Printf("e%d  %s\n", e, code)
		}
	}
	fmt.Println("rounds", n.Rounds())

	d, err := pathnum.NewDecoder(g.Blocks, g.Entry, g.Exit, g.Edges, n.Cut, n.Values)
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range d.NumPaths() {
		p, err := d.Path(id)
		fmt.Println(id, p.Start, p.Loop, p.Edges, err)
	}

	// Output:
	// e1  count[r+2]++
	// e5  count[r]++
	// e6  count[r+1]++
	// e7  r = 3
	// rounds map[5:3 6:3]
	// 0 0 false [0 2 3 5 7] <nil>
	// 1 0 false [0 2 4 6 7] <nil>
	// 2 0 false [0 1] <nil>
	// 3 1 true [2 3 5 7] <nil>
	// 4 1 true [2 4 6 7] <nil>
	// 5 1 true [1] <nil>
}
