package table

import "testing"

func TestPositionAt(t *testing.T) {
	f := Function{ByLine: true, Positions: []Position{
		{Hash: -1, Block: 0, Lines: []Lines{{10, 12}}},
		{Hash: 4, Block: 1, Lines: []Lines{{15, 15}}},
		{Hash: 5, Block: 2, Lines: []Lines{{15, 15}, {20, 20}}},
	}}
	said := &f.Positions[2]
	for _, test := range []struct {
		what  string
		line  int
		at    *Position
		block int // -1 for no position
	}{
		{"a line of one position", 11, nil, 0},
		{"a line of one position, whatever the frame said before", 12, said, 0},
		{"a line of two positions, by what the frame says", 15, said, 2},
		{"a line of two positions, of which the frame says neither", 15, nil, -1},
		{"the other line of a position", 20, nil, 2},
		{"a line where nothing can fail, behind one where it can", 13, nil, 0},
		{"a line where nothing can fail, as the frame says", 13, said, 2},
		{"a line before all positions", 9, nil, -1},
	} {
		p := f.PositionAt(test.line, test.at)
		got := -1
		if p != nil {
			got = p.Block
		}
		if got != test.block {
			t.Errorf("%s (line %d): block %d, want %d", test.what, test.line, got, test.block)
		}
	}
}
