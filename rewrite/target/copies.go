package target

import (
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt"
)

// copiesGroup has package runtime see originals where threads run in copies of functions (package rt/copies). Its first eight
// calls are all that reads addresses of code from stacks, or that goroutines have kept, and looks them up.
var copiesGroup = group{
	feature: Copies,
	folder:  "runtime",
	files: map[string][]byte{
		"goprofinstr_copies.go":     rt.Patch("copies/runtime.go.txt"),
		"goprofinstr_words.go":      rt.Patch("copies/words.go.txt"),
		"goprofinstr_words_amd64.s": rt.Patch("copies/words_amd64.s.txt"),
		"goprofinstr_words_arm64.s": rt.Patch("copies/words_arm64.s.txt"),
	},
	calls: []call{
		// Unwinding begins with a register, with what was kept, or on the goroutine's stack behind that of its thread.
		{"traceback.go", "\tframe.pc = pc0", "; frame.pc = goprofinstr_original(frame.pc)"},
		{"traceback.go", "\t\t\t\tframe.pc = gp.sched.pc", "; frame.pc = goprofinstr_original(frame.pc)"},
		// It goes on with return addresses.
		{"traceback.go", "\t\t\t\tlrPtr = frame.fp - goarch.PtrSize\n\t\t\t\tframe.lr = *(*uintptr)(unsafe.Pointer(lrPtr))\n\t\t\t}\n\t\t}",
			"; frame.lr = goprofinstr_original(frame.lr)"},
		{"traceback.go", "\t\tx := *(*uintptr)(unsafe.Pointer(frame.sp))", "; x = goprofinstr_original(x)"}, // arm64: behind what signals call
		// Frame pointers lead to return addresses, too: for profiles of blocking, and for traces.
		{"mprof.go", "\t\tpc := *(*uintptr)(unsafe.Pointer(uintptr(fp) + goarch.PtrSize))", "; pc = goprofinstr_original(pc)"},
		{"tracestack.go", "\tfor _, retPC := range pcBuf[1:] {", " retPC = goprofinstr_original(retPC)"},
		// Who began a goroutine.
		{"proc.go", "\tnewg.gopc = callerpc", "; newg.gopc = goprofinstr_original(callerpc)"},
		// Where a defer statement was, to find out what its function does when it has recovered.
		{"panic.go", "\tpc, sp, fp := p.retpc, uintptr(p.sp), uintptr(p.fp)", "; pc = goprofinstr_original(pc)"},

		{"signal_unix.go", "\tdelayedSignal := *cgo_yield != nil && mp != nil && gsignal.stack == mp.g0.stack",
			"; if goprofinstr_copied(sig, info, c, gp) { return }"},
		// Before another thread may run the goroutine, or move its stack.
		{"proc.go", "func casgstatus(gp *g, oldval, newval uint32) {",
			" if oldval == _Grunning && newval != _Gsyscall && newval != _Gcopystack { goprofinstr_switched() };"},
		{"proc.go", "func casGToPreemptScan(gp *g, old, new uint32) {", " goprofinstr_switched();"},
		{"proc.go", "func dropg() {\n\tgp := getg()", "; goprofinstr_ran()"},
		{"proc.go", "\tgp.waitsince = 0\n\tgp.preempt = false", "; goprofinstr_runs()"}, // nobody else moves its stack any more
		// The goroutine that has stopped the world goes on: its stack may have been read by others meanwhile.
		{"proc.go", "\tcasgstatus(getg().m.curg, _Gwaiting, _Grunning)", "; goprofinstr_runs()"},
		{"coro.go", "func coroswitch_m(gp *g) {", " goprofinstr_switched();"},
		{"stack.go", "\tmemmove(unsafe.Pointer(new.hi-ncopy), unsafe.Pointer(old.hi-ncopy), ncopy)",
			"; goprofinstr_moved(new.hi-used, old.hi-used, used)"},
		{"proc.go", "\t// Release the P.\n\thandoffp(releasep())", "; goprofinstr_copierEnded()"}, // in mexit
		{"proc.go", "\tsigmask := mp.sigmask\n\tsigblock(false)", "; goprofinstr_copierLeft()"},   // in dropm, to stay as long
		// The process executes another program, or ends without the hooks of exits: nobody decodes logs after that.
		{"proc.go", "func syscall_runtime_BeforeExec() {", " goprofinstr_flush();"},
		{"runtime.go", "func syscall_Exit(code int) {", " goprofinstr_flush();"},
		{"panic.go", "\tprintDebugLog()", "; goprofinstr_flush()"},
		{"signal_unix.go", "\tif flags&_SigKill != 0 {", " goprofinstr_flush();"},
		{"signal_unix.go", "\t\tprintDebugLog()", "; goprofinstr_flush()"}, // where SIGQUIT and the like leave a core
		{"signal_unix.go", "\n\tprintDebugLog()", "; goprofinstr_flush()"},
		// C code calls Go.
		{"cgocall.go", "\tcbFV := funcval{uintptr(fn)}", "; goprofinstr_calledBack(&cbFV.fn)"},
	},
	needs: []Feature{Timers}, // whose files have what signals have interrupted
}

// AddCopies adds the hooks for counting copies, and returns what is missing. There are copies for linux/amd64 and linux/arm64
// only.
func (h *Hooks) AddCopies(tc Toolchain, source func(name string) ([]byte, error)) []Missing {
	if tc.GOOS != "linux" || tc.GOARCH != "amd64" && tc.GOARCH != "arm64" || !h.Has(Timers) {
		return []Missing{{Feature: Copies, File: copiesGroup.folder,
			Why: "copies are for linux/amd64 and linux/arm64, and need the hooks for timers"}}
	}
	return h.add(copiesGroup, filepath.Join(tc.GOROOT, "src"), source)
}
