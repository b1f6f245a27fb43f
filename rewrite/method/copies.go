package method

import (
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// copies samples as ticks does. Functions have labels and no code: copies of their machine code count, in windows.
type copies struct {
	ticks
	pkg string // as go list prints it
}

func init() {
	register("copies", func(o Options, n *emit.Names, pkg string) Method { return &copies{ticks{n, o.Sampling}, pkg} })
}

// Labels reports whether functions have labels in place of code.
func (o Options) Labels() bool { return o.way() == "copies" }

// A Sparer is a Method for which functions have counters behind those of their paths.
type Sparer interface {
	// Spare returns how many.
	Spare() uint64
}

// Spare is the counter of paths that are not known.
func (*copies) Spare() uint64 { return 1 }

func (c *copies) Paths(paths, most uint64) (p Paths, array bool) { return c, paths < most }

// Variables has where the paths of each function are.
func (c *copies) Variables(p Package) string {
	var list strings.Builder
	for _, f := range p.Functions {
		if f.Storage == table.StorageHash {
			fmt.Fprintf(&list, "{%d,0,%d},", f.First, f.Hash)
		} else {
			fmt.Fprintf(&list, "{%d,%d,0},", f.First, f.Numbering.Values.NumPaths)
		}
	}
	return c.Sprintf("var %sF=[%d+1]$copies.Function{%s}\n", c.Sites, len(p.Functions), list.String())
}

func (c *copies) Start(p Package) string {
	hashes := ""
	if p.Hashes > 0 { // a variable would be read when the package is initialized, by a function of the user's
		hashes = ",Hashes:" + p.Hash
	}
	return c.Sprintf("var %[1]sS=%[6]s\nvar _=$sampled.StartSampling(&%[1]sS)\n"+
		"var %[1]sM=$copies.Package{Magic:[2]$U{$copies.PackageMagic0,$copies.PackageMagic1},Path:%[2]q,"+
		"Functions:&%[1]sF[0],N:%[3]d,Counters:&%[4]s%[5]s,Sampling:&%[1]sS.Kind}\nvar _=$copies.UsePackage(&%[1]sM)\n",
		c.Sites, c.pkg, len(p.Functions), CounterOf(c.Names, 0), hashes, c.settings())
}

// An Aparter is a Method that has packages register themselves in functions of their own.
type Aparter interface {
	// Apart returns the registration of a package with functions in place of variables whose values call others. Variables are set
	// by the function that sets the user's, which would be longer than it is without.
	Apart(registration string) string
}

// Apart implements Aparter.
func (*copies) Apart(registration string) string {
	lines := strings.SplitAfter(registration, "\n")
	for i, line := range lines {
		if call, ok := strings.CutPrefix(line, "var _="); ok {
			lines[i] = "func init(){" + strings.TrimSuffix(call, "\n") + "}\n"
		}
	}
	return strings.Join(lines, "")
}

func (*copies) DescribePackage(t *table.Package, counters uint64) {
	t.Counters, t.Counts, t.Unknown = 2*counters, table.Ticks, true
}

// What follows is copies' Paths.

func (*copies) Enter(*Function) string         { return "" }
func (*copies) End(*Function, pathnum.Op) Code { return Code{} }
