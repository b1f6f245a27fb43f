package target

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
)

// hooks is a file for package runtime. Its tests of what a stack holds need what
// no other package can see.
//
//go:embed hooks.go.txt
var hooks []byte

// A call is code for a file of package runtime, inserted where after, which occurs once in the file, ends.
type call struct{ file, after, insert string }

// hookCalls are the calls of the hooks.
var hookCalls = []call{
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

// blocks is another file for package runtime.
//
//go:embed blocks.go.txt
var blocks []byte

// blockCalls are its calls, and a field.
var blockCalls = []call{
	{"runtime2.go", "\tgcAssistBytes int64\n", "\tgoprofinstr goprofinstr_g\n"}, // of g
	{"proc.go", "\twirep(pp)\n", "\tgoprofinstr_acquired()\n"},
	{"proc.go", "\tmp.curg = gp\n\tgp.m = mp\n", "\tgoprofinstr_running(gp, mp)\n"},
	{"coro.go", "\tsetMNoWB(&gnext.m, mp)\n", "\tgoprofinstr_running(gnext, mp)\n"},
	{"preempt.go", "\t\tgp.asyncSafePoint = true\n", "\t\tgoprofinstr_preempted(gp)\n"},
	{"proc.go", "func dropg() {\n\tgp := getg()\n", "\tgoprofinstr_dropped(gp.m.curg)\n"},
	// In mexit. handoffp can have borrowed the P once more, to allocate another thread.
	{"proc.go", "\t// Release the P.\n\thandoffp(releasep())\n", "\tgoprofinstr_exiting(mp)\n"},
}

// blocksFile is the name of the file in which blocks are.
const blocksFile = "goprofinstr_blocks.go"

// RuntimeHooks returns the files of package runtime with hooks that tell package rt of
// activations that are abandoned, and give it blocks to count in, by absolute name. Source returns the contents of a file. The result
// is nil if this toolchain's runtime is not as the hooks expect; then abandoned activations can only be counted. If it
// is not as the blocks expect they are not there, and -atomic uses atomic instructions.
func RuntimeHooks(goroot string, source func(name string) ([]byte, error)) map[string][]byte {
	dir := filepath.Join(goroot, "src", "runtime")
	files := insert(dir, map[string][]byte{filepath.Join(dir, "goprofinstr.go"): hooks}, hookCalls, source)
	if files == nil {
		return nil
	}
	all := maps.Clone(files)
	all[filepath.Join(dir, blocksFile)] = blocks
	if all = insert(dir, all, blockCalls, source); all != nil {
		return all
	}
	return files
}

// hasBlocks tells whether the result of RuntimeHooks has blocks.
func hasBlocks(hooks map[string][]byte) bool {
	for name := range hooks {
		if filepath.Base(name) == blocksFile {
			return true
		}
	}
	return false
}

// insert inserts calls into files, of which those that are not there yet are in dir, or returns nil if one has no place.
func insert(dir string, files map[string][]byte, calls []call, source func(name string) ([]byte, error)) map[string][]byte {
	for _, c := range calls {
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
