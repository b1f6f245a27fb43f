package target

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
)

// hooks is a file for package runtime. Its tests of what a stack holds need what
// no other package can see.
//
//go:embed hooks.go.txt
var hooks []byte

// hookCalls are the calls of the hooks, by file of package runtime: the code is
// inserted where after, which occurs once in the file, ends.
var hookCalls = []struct{ file, after, insert string }{
	// recovery has found the frame to go on in, and everything above it is dead.
	{"panic.go", "\tif gp.param != nil {\n\t\tthrow(\"unexpected gp.param\")\n\t}\n", "\tgoprofinstr_recovered(gp, sp)\n"},
	// Goexit has run all deferred calls.
	{"panic.go", "\tp.goexit = true\n\n\tp.start(sys.GetCallerPC(), unsafe.Pointer(sys.GetCallerSP()))\n\tfor {\n" +
		"\t\tfn, ok := p.nextDefer()\n\t\tif !ok {\n\t\t\tbreak\n\t\t}\n\t\tfn()\n\t}\n\n", "\tgoprofinstr_leaving()\n"},
	// Nobody has recovered a panic.
	{"panic.go", "\tpreprintpanics(&p)\n", "\tgoprofinstr_leaving()\n"},
	// A stack that has been copied must not be found with live objects in it when the memory is used again.
	{"stack.go", "\tif stackPoisonCopy != 0 {\n\t\tfillstack(old, 0xfc)\n\t}\n", "\tmemclrNoHeapPointers(unsafe.Pointer(old.lo), old.hi-old.lo)\n"},
}

// RuntimeHooks returns the files of package runtime with hooks that tell package rt of
// activations that are abandoned, by absolute name. Source returns the contents of a file. The result
// is nil if this toolchain's runtime is not as the hooks expect; then abandoned activations can only be counted.
func RuntimeHooks(goroot string, source func(name string) ([]byte, error)) map[string][]byte {
	dir := filepath.Join(goroot, "src", "runtime")
	files := map[string][]byte{filepath.Join(dir, "goprofinstr.go"): hooks}
	for _, c := range hookCalls {
		name := filepath.Join(dir, c.file)
		src := files[name]
		if src == nil {
			var err error
			if src, err = source(name); err != nil {
				return nil
			}
		}
		if bytes.Count(src, []byte(c.after)) != 1 {
			return nil
		}
		at := bytes.Index(src, []byte(c.after)) + len(c.after)
		files[name] = fmt.Appendf(nil, "%s%s%s", src[:at], c.insert, src[at:])
	}
	return files
}
