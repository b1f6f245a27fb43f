package table

import (
	"bytes"
	"compress/flate"
	"math"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// branch is a package of a function with two paths, that has one of everything.
func branch() *Package {
	return &Package{Path: "example.com/m", Counters: 5, Callees: []Callee{{"fmt", "fmt.Println"}}, Functions: []Function{{
		Name: "example.com/m.F", File: "m.go", Line: 3, EndLine: 9, Body: Block{3, 10, 9, 2},
		Blocks:     []Block{{4, 2, 4, 9}, {5, 3, 5, 9}, {7, 2, 7, 9}, {}},
		Edges:      []Edge{{From: 0, To: 1, Kind: IfThen, Line: 4}, {From: 0, To: 2, Kind: IfElse, Line: 4}, {From: 1, To: 3, Kind: Return}, {From: 2, To: 3, Kind: Return}},
		Exit:       3,
		Statements: []Statement{{Line: 4, Col: 2}, {Line: 8, Col: 1, Block: -1}},
		Values:     pathnum.Values{NumPaths: 2, Edge: []uint64{0, 1, 0, 0}},
		Positions:  []Position{{Hash: 0, Lines: []Lines{{4, 5}}}},
		ByLine:     true, LineHash: 1,
		Counted:   &Counted{Hash: 1, Edges: []int{-1, 0}, First: 3, Others: []Lines{{3, 9}}},
		Ends:      []End{{Edge: 2}},
		Facts:     [][]Fact{{NewFact(0, true)}, {NewFact(0, false)}, nil, {Forget(1)}},
		Calls:     []Call{{Site: Site{At: 1}}, {Site: Site{At: -1}}},
		Selectors: []Selector{{Kind: Trips, Hash: 2, Sites: []Site{{At: 2}}}},
		Storage:   StorageArray, First: 1, Entries: 0,
	}}}
}

// TestCheck breaks each thing that is checked.
func TestCheck(t *testing.T) {
	if damaged := branch().Check(1); len(damaged) > 0 {
		t.Fatalf("a table that makes sense: %v", damaged)
	}
	for name, damage := range map[string]func(*Function){
		"line":                 func(f *Function) { f.Line = -1 },
		"last line":            func(f *Function) { f.EndLine = math.MaxInt },
		"body":                 func(f *Function) { f.Body.Col = -1 },
		"declined":             func(f *Function) { f.Declined = "so" },
		"entry":                func(f *Function) { f.Entry = 4 },
		"exit":                 func(f *Function) { f.Exit = 0 },
		"no blocks":            func(f *Function) { f.Blocks = nil },
		"block":                func(f *Function) { f.Blocks[2].EndCol = -1 },
		"edge from":            func(f *Function) { f.Edges[0].From = -1 },
		"edge to":              func(f *Function) { f.Edges[0].To = 4 },
		"back to the exit":     func(f *Function) { f.Edges[3].Back = true },
		"edge's line":          func(f *Function) { f.Edges[0].Line = math.MaxInt },
		"merged":               func(f *Function) { f.Merged = -1 },
		"facts of edges":       func(f *Function) { f.Facts = f.Facts[1:] },
		"negative fact":        func(f *Function) { f.Facts[0][0] = -1 },
		"fact of nothing":      func(f *Function) { f.Facts[0][0] = NewFact(3, true) },
		"statement's block":    func(f *Function) { f.Statements[1].Block = -2 },
		"statement's index":    func(f *Function) { f.Statements[0].Index = -1 },
		"position's block":     func(f *Function) { f.Positions[0].Block = 4 },
		"position's statement": func(f *Function) { f.Positions[0].Reached = -1 },
		"position's hash":      func(f *Function) { f.Positions[0].Hash = -2 },
		"position's lines":     func(f *Function) { f.Positions[0].Lines[0].Last = 1 << 29 },
		"lines backwards":      func(f *Function) { f.Positions[0].Lines[0].Last = 3 },
		"hash of lines":        func(f *Function) { f.LineHash = -1 },
		"hash of cuts":         func(f *Function) { f.Cut = -1 },
		"counted hash":         func(f *Function) { f.Counted.Hash = -1 },
		"counted edge":         func(f *Function) { f.Counted.Edges[1] = 4 },
		"counted counter":      func(f *Function) { f.Counted.First = 4 },
		"counted lines":        func(f *Function) { f.Counted.Others[0].First = 10 },
		"end":                  func(f *Function) { f.Ends[0].Edge = 4 },
		"call in a block":      func(f *Function) { f.Calls[0].At = 4 },
		"call on an edge":      func(f *Function) { f.Calls[1].At = -5 },
		"callee":               func(f *Function) { f.Calls[0].Callee = 1 },
		"calls":                func(f *Function) { f.Calls[0].More = math.MaxInt },
		"call's line":          func(f *Function) { f.Calls[0].Line = math.MinInt },
		"kind":                 func(f *Function) { f.Selectors[0].Kind = "x" },
		"selector's hash":      func(f *Function) { f.Selectors[0].Hash = -1 },
		"selector's header":    func(f *Function) { f.Selectors[0].Header = -1 },
		"selector's site":      func(f *Function) { f.Selectors[0].Sites[0].At = 4 },
		"storage":              func(f *Function) { f.Storage = "" },
		"first counter":        func(f *Function) { f.First = math.MaxUint64 },
		"paths":                func(f *Function) { f.Values.NumPaths = 1 << 60 },
		"hash":                 func(f *Function) { f.Storage, f.Hash = StorageHash, -1 },
		"entry counter":        func(f *Function) { f.Entries = 5 },
		"no entry counter":     func(f *Function) { f.Entries = -2 },
	} {
		p := branch()
		damage(&p.Functions[0])
		if damaged := p.Check(1); len(damaged) != 1 || strings.Contains(damaged[0].Error(), "\n") {
			t.Errorf("%s: %v, want one line", name, damaged)
		}
		left := p.Functions[0].WithoutGraph("so")
		p.Functions = []Function{left}
		if damaged := p.Check(1); len(damaged) > 0 || left.Name != "example.com/m.F" || left.Declined != "so" {
			t.Errorf("%s: what is left of it: %v", name, damaged)
		}
	}
	for name, damage := range map[string]func(*Package){
		"paths not known": func(p *Package) { p.Unknown, p.Functions[0].First = true, 3 },
		"estimates":       func(p *Package) { p.Functions[0].Counts = Strata },
		"most paths":      func(p *Package) { p.Unknown, p.Functions[0].Values.NumPaths = true, math.MaxUint64 },
	} {
		p := branch()
		damage(p)
		if damaged := p.Check(1); len(damaged) != 1 {
			t.Errorf("%s: %v, want one line", name, damaged)
		}
	}
	p := branch()
	p.Unknown, p.Counters, p.Functions[0].Entries = true, 6, -1
	p.Functions = append(p.Functions, branch().Functions[0], branch().Functions[0])
	if damaged := p.Check(1); len(damaged) != 1 || damaged[2] == nil {
		t.Errorf("three times two paths and one that is not known with six counters: %v", damaged)
	}
	p = branch()
	p.Functions = append(p.Functions, branch().Functions[0], branch().Functions[0])
	if damaged := p.Check(1); len(damaged) != 1 || damaged[2] == nil {
		t.Errorf("six paths with five counters: %v", damaged)
	}
}

// TestDecodeRefuses has tables that are small, and large when they are inflated or decoded.
func TestDecodeRefuses(t *testing.T) {
	for want, text := range map[string]func(w *flate.Writer){
		"more than 67108864 bytes when inflated": func(w *flate.Writer) {
			for range MostBytes>>20 + 1 {
				w.Write(make([]byte, 1<<20))
			}
		},
		"of memory": func(w *flate.Writer) {
			w.Write([]byte(`{"Functions":[{}`))
			w.Write(bytes.Repeat([]byte(`,{}`), 1<<20))
			w.Write([]byte(`]}`))
		},
	} {
		data := bytes.NewBufferString(magic + "\x01")
		w, _ := flate.NewWriter(data, flate.BestSpeed)
		text(w)
		w.Close()
		if _, err := Decode(data.Bytes()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %q", data.Len(), err, want)
		}
	}
	if _, err := Decode([]byte(magic + "\x07")); err == nil || err.Error() != "path table of version 7; this goprofinstr reads version 1" {
		t.Errorf("%v", err)
	}
}
