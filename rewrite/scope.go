package rewrite

import (
	"encoding/binary"
	"go/ast"
	"go/token"
	"hash/fnv"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A scope is what finds a function among those that the compiler has inlined into each other at a program counter: its lines and file.
type scope struct {
	from, open int // lines of the func keyword and of the opening brace, between which the runtime has its start
	end        int // line of the closing brace
	file       string
}

// scopes returns those of functions, but for those that their lines do not tell from others of the file.
func scopes(fset *token.FileSet, funcs []*ssacfg.Func) map[*ssacfg.Func]*scope {
	starts := make(map[*ast.File]map[int]int) // number of functions that start on a line
	at := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	for _, fn := range funcs {
		if starts[fn.File] == nil {
			starts[fn.File] = make(map[int]int)
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
		if n == 1 {
			found[fn] = s
		}
	}
	return found
}

// encode returns s as rt.ByLine takes it.
func (s *scope) encode() []byte {
	b := make([]byte, 0, 16)
	if s == nil {
		return b[:16]
	}
	name := fnv.New32a()
	name.Write([]byte(s.file))
	for _, v := range []uint32{uint32(s.from), uint32(s.open), uint32(s.end), name.Sum32()} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// lines returns what rt.ByLine takes: 16 bytes for each hash table of the package.
func (pl *planner) lines() []byte {
	var b []byte
	for i := range pl.hashes {
		b = append(b, pl.scopes[i].encode()...)
	}
	return b
}
