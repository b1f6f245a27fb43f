package rewrite

import (
	"encoding/binary"
	"go/ast"
	"go/token"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt/abandon"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A scope is what finds a function among those that the compiler has inlined into each other at a program counter: its lines
// and file.
type scope struct {
	from, open int // lines of the func keyword and of the opening brace, between which the runtime has its start
	end        int // line of the closing brace
	file       string
}

// scopes returns those of functions, but for those that their lines do not tell from others of the file,
// or that a //line directive moves.
func scopes(fset *token.FileSet, funcs []*ssacfg.Func) map[*ssacfg.Func]*scope {
	starts := make(map[*ast.File]map[int]int) // number of functions that start on a line
	at := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	for _, fn := range funcs {
		if starts[fn.File] == nil {
			starts[fn.File] = make(map[int]int)
		}
		if fn.RangesFunc {
			for _, pos := range rangeStmts(fn) { // the compiler makes functions of their bodies
				starts[fn.File][at(pos)]++
			}
		}
		starts[fn.File][at(fn.Node.Pos())]++
	}
	found := make(map[*ssacfg.Func]*scope)
	for _, fn := range funcs {
		s := &scope{at(fn.Node.Pos()), at(fn.Body.Lbrace), at(fn.Body.Rbrace), filepath.Base(fset.File(fn.File.Pos()).Name())}
		n := 0
		for line := s.from; line <= s.open; line++ {
			n += starts[fn.File][line]
		}
		if n == 1 && !moved(fset, fn.Node.Pos()) && !moved(fset, fn.Body.Rbrace) {
			found[fn] = s
		}
	}
	return found
}

// A positionHash is a hash table of a position, or of those that lines tell.
type positionHash struct {
	scope   *scope // of the function; nil if it has none
	byLine  bool   // it counts by line
	counted bool   // activations have no frame
}

// encode returns h as abandon.Positions takes it.
func (h positionHash) encode() []byte {
	var numbers [4]uint32
	if s := h.scope; s != nil {
		numbers = [4]uint32{uint32(s.from), uint32(s.open), uint32(s.end), sys.Hash32(s.file)}
	}
	if !h.byLine {
		numbers[0] += abandon.AnyLine
	}
	if h.counted {
		numbers[0] |= abandon.NoFrame
	}
	b := make([]byte, 0, 16)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// encodePositions returns what abandon.Positions takes: 16 bytes for each hash table of the package.
func (pl *planner) encodePositions() []byte {
	var b []byte
	for i := range pl.hashes {
		if h, ok := pl.positions[i]; ok {
			b = append(b, h.encode()...)
		} else {
			b = append(b, make([]byte, 16)...)
		}
	}
	return b
}

// rangeStmts returns where the range statements of a function are.
func rangeStmts(fn *ssacfg.Func) (list []token.Pos) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok {
			list = append(list, r.For)
		}
		return true
	})
	return list
}
