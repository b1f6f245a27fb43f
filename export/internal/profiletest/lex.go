package profiletest

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// LexSource is the source of the package that [Lex] is the table of.
const LexSource = `package lex

// Words counts the words of s.
func Words(s string) (n int) {
	in := false
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' || s[i] == '\t' {
			in = false
			continue
		}
		if !in {
			n++
			in = true
		}
	}
	return n
}

// Must returns s, which must not be empty.
func Must(s string) string {
	if s == "" {
		panic("empty")
	}
	return s
}

func Version() string { return "1" }

func unused(a, b bool) {}

func recovers() { defer func() { recover() }() }
`

// Lex returns the table of package example.com/m/lex, file lex/lex.go.
//
// Blocks of Words, with their lines, and edges:
//
//	0:4 ─0─▶ 1:6 ─1─▶ 2:7 ─4─▶ 3:7 ─6─▶ 5:11 ─8─▶ 6:12
//	         │ ▲        │3       │5        │9       │10
//	         │ │        ▼        │         ▼        │
//	         │ │       4:8 ◀─────┘    ┌▶ 7:6 ◀──────┘
//	         │ │        └───────7─────┘   │
//	         │ └───────────11─────────────┘
//	         └─2─▶ 8:16 ─12─▶ 9 (exit)
func Lex() *table.Package {
	const file = "lex/lex.go"
	words := table.Function{
		Name: "example.com/m/lex.Words", File: file, Line: 4, EndLine: 17, Body: table.Block{Line: 4, Col: 30, EndLine: 17, EndCol: 2},
		Blocks: blocks(
			[4]int{4, 30, 5, 13}, [4]int{6, 14, 6, 24}, [4]int{7, 6, 7, 17}, [4]int{7, 21, 7, 33}, [4]int{8, 4, 9, 12},
			[4]int{11, 6, 11, 9}, [4]int{12, 4, 13, 13}, [4]int{6, 26, 6, 29}, [4]int{16, 2, 16, 10}, [4]int{},
		),
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.Jump},
			{From: 1, To: 2, Kind: table.CondTrue, Line: 6, Col: 14},
			{From: 1, To: 8, Kind: table.CondFalse, Line: 6, Col: 14},
			{From: 2, To: 4, Kind: table.CondTrue, Line: 7, Col: 6},
			{From: 2, To: 3, Kind: table.CondFalse, Line: 7, Col: 6},
			{From: 3, To: 4, Kind: table.IfThen, Line: 7, Col: 21},
			{From: 3, To: 5, Kind: table.IfElse, Line: 7, Col: 21},
			{From: 4, To: 7, Kind: table.Jump},
			{From: 5, To: 6, Kind: table.IfThen, Line: 11, Col: 6},
			{From: 5, To: 7, Kind: table.IfElse, Line: 11, Col: 6},
			{From: 6, To: 7, Kind: table.Jump},
			{From: 7, To: 1, Kind: table.LoopBack},
			{From: 8, To: 9, Kind: table.Return, Line: 16, Col: 2},
		},
		Exit: 9,
	}
	must := table.Function{
		Name: "example.com/m/lex.Must", File: file, Line: 20, EndLine: 25, Body: table.Block{Line: 20, Col: 28, EndLine: 25, EndCol: 2},
		Blocks: blocks([4]int{20, 28, 21, 12}, [4]int{22, 3, 22, 17}, [4]int{24, 2, 24, 10}, [4]int{}),
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.IfThen, Line: 21, Col: 5},
			{From: 0, To: 2, Kind: table.IfElse, Line: 21, Col: 5},
			{From: 1, To: 3, Kind: table.CallPanic, Line: 22, Col: 3},
			{From: 2, To: 3, Kind: table.Return, Line: 24, Col: 2},
		},
		Exit:       3,
		Statements: []table.Statement{{Line: 20, Col: 28, Block: 0}, {Line: 21, Col: 13, Block: 1}, {Line: 24, Col: 2, Block: 2}},
		Storage:    table.StorageHash,
	}
	version := table.Function{
		Name: "example.com/m/lex.Version", File: file, Line: 27, EndLine: 27, Body: table.Block{Line: 27, Col: 23, EndLine: 27, EndCol: 37},
		Blocks:  blocks([4]int{27, 23, 27, 36}, [4]int{}),
		Edges:   []table.Edge{{From: 0, To: 1, Kind: table.Return, Line: 27, Col: 25}},
		Exit:    1,
		Entries: -1,
	}
	unused := version
	unused.Name, unused.Line, unused.EndLine = "example.com/m/lex.unused", 29, 29
	unused.Body = table.Block{Line: 29, Col: 24, EndLine: 29, EndCol: 26}
	unused.Blocks = blocks([4]int{29, 24, 29, 26}, [4]int{})
	recovers := table.Function{
		Name: "example.com/m/lex.recovers", File: file, Line: 31, EndLine: 31,
		Declined: "an edge of a deferred call cannot be told apart",
	}
	return Package("example.com/m/lex", words, must, version, unused, recovers)
}

// CallWords records times calls of Words(s), up to the moment at which s is
// read up to a '!': there the activation is abandoned.
func CallWords(r *Run, times uint64, s string) {
	walk := []int{0}
	in := false
	for i := range len(s) {
		walk = append(walk, 1)
		switch {
		case s[i] == '!':
			r.Call("example.com/m/lex.Words", times, walk...)
			return
		case s[i] == ' ':
			walk, in = append(walk, 3, 7), false
		case s[i] == '\t':
			walk, in = append(walk, 4, 5, 7), false
		case !in:
			walk, in = append(walk, 4, 6, 8, 10), true
		default:
			walk = append(walk, 4, 6, 9)
		}
		walk = append(walk, 11)
	}
	r.Call("example.com/m/lex.Words", times, append(walk, 2, 12)...)
}

// blocks returns blocks at the given line, col, end line and end col.
func blocks(positions ...[4]int) []table.Block {
	var list []table.Block
	for _, p := range positions {
		list = append(list, table.Block{Line: p[0], Col: p[1], EndLine: p[2], EndCol: p[3]})
	}
	return list
}
