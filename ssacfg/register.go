package ssacfg

import "github.com/goprofinstr/goprofinstr/ssacfg/pathnum"

// DropRegister numbers the paths as if nobody looked at the path register on the way. The numbers stay as they are.
func (fn *Func) DropRegister() {
	g := fn.Graph.Plain()
	g.KeepRegister = false
	n, err := pathnum.New(g, 0)
	if err != nil {
		panic("BUG: " + err.Error()) // it has been numbered before
	}
	fn.Numbering = n
}
