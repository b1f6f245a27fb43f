package sys_test

import (
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Everything that this package defines of a system is compared with the definitions of Go's own packages for it: syscall, and
// golang.org/x/sys/unix and windows as the go command has them. Their sources are read, so that one system's are on any other.

// ours is for constants that are no system's.
const ours = ""

// official has what a constant is on a system in the names of Go's packages: "Function.name", or
// "name" outside of functions. Numbers of system calls are not here: sysRtSigaction is
// SYS_RT_SIGACTION.
var official = map[string]map[string]string{
	"": { // on all systems
		"Pad":           ours,
		"Page":          ours,
		"newMode":       ours,
		"mostZeros":     ours,
		"notPermitted":  "EPERM",
		"NoEntry":       "ENOENT",
		"eintr":         "EINTR",
		"inputOutput":   "EIO",
		"BadFile":       "EBADF",
		"noMemory":      "ENOMEM",
		"accessDenied":  "EACCES",
		"Exists":        "EEXIST",
		"noDevice":      "ENODEV",
		"notDirectory":  "ENOTDIR",
		"tooManyOpen":   "ENFILE",
		"fileTooLarge":  "EFBIG",
		"noSpace":       "ENOSPC",
		"readOnly":      "EROFS",
		"nameTooLong":   "ENAMETOOLONG",
		"NoSystemCall":  "ENOSYS",
		"NotSupported":  "ENOTSUP",
		"overQuota":     "EDQUOT",
		"openRead":      "O_RDONLY|O_CLOEXEC",
		"openNew":       "O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC",
		"readWrite":     "PROT_READ|PROT_WRITE",
		"mapShared":     "MAP_SHARED",
		"mapPrivate":    "MAP_PRIVATE",
		"mapFixed":      "MAP_FIXED",
		"mapAnonymous":  "MAP_ANON",
		"MoveUp.lowest": ours,

		"tooManyOpenHere":   "EMFILE",
		"MoveUp.dupCloexec": "F_DUPFD_CLOEXEC",
		"writeLock":         "F_WRLCK",
		"setLock":           "F_SETLK",
		"UnblockBus.sigbus": "SIGBUS",
	},
	"linux": {
		"NotSupported":        "EOPNOTSUPP",
		"atFdcwd":             "AT_FDCWD",
		"Lock.setOwnLock":     "F_OFD_SETLK",
		"DropPages.remove":    "MADV_REMOVE",
		"Move.mayMove":        "MREMAP_MAYMOVE",
		"Move.fixed":          "MREMAP_FIXED",
		"UnblockBus.unblock":  "SIG_UNBLOCK",
		"Dumpable.get":        "PR_GET_DUMPABLE",
		"Dumpable.yes":        "1", // SUID_DUMP_USER, which Go has not
		"ClockMonotonic":      "CLOCK_MONOTONIC",
		"ClockProcessCPU":     "CLOCK_PROCESS_CPUTIME_ID",
		"ClockThreadCPU":      "CLOCK_THREAD_CPUTIME_ID",
		"sigprof":             "SIGPROF",
		"SegvHandler.sigsegv": "SIGSEGV",
		// SIGEV_THREAD_ID in the upper half of a word
		"CreateTimer.threadID":      "4<<32",
		"MemoryFile.cloexec":        "MFD_CLOEXEC",
		"MemoryFile.noexecSeal":     "MFD_NOEXEC_SEAL",
		"MemoryFile.einval":         "EINVAL",
		"FileLimit.fsize":           "1", // RLIMIT_FSIZE
		"WipedOnFork.size":          ours,
		"KeepFromChildren.dontFork": "MADV_DONTFORK",
		"WipedOnFork.wipeOnFork":    "MADV_WIPEONFORK",
		"Forget.dontNeed":           "MADV_DONTNEED",
	},
	"darwin": {
		"UnblockBus.unblock": "2", // SIG_UNBLOCK, which only package runtime has
		"Clock.realtime":     "CLOCK_REALTIME",
	},
}

// fields has the official structures, and where our fields are in them. A structure of ours may be longer.
var fields = map[string]map[string]map[string]string{
	"linux": {
		"fileLock Flock_t":  {"kind": "Type", "whence": "Whence", "start": "Start", "size": "Len", "pid": "Pid"},
		"fileStatus Stat_t": {"id": "Dev", "size": "Size"},
	},
	"darwin": {
		"fileLock Flock_t":  {"kind": "Type", "whence": "Whence", "start": "Start", "size": "Len", "pid": "Pid"},
		"fileStatus Stat_t": {"dev": "Dev", "mode": "Mode", "nlink": "Nlink", "ino": "Ino"},
	},
}

// TestOfficial compares constants and structures of each system.
func TestOfficial(t *testing.T) {
	for _, system := range []string{"linux/amd64", "linux/arm64", "linux/riscv64", "darwin/amd64", "darwin/arm64"} {
		t.Run(strings.ReplaceAll(system, "/", "_"), func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			testOfficial(t, goos, goarch)
		})
	}
}

func testOfficial(t *testing.T, goos, goarch string) {
	go_ := officialPackage(t, goos, goarch)
	own, info := checkFolder(t, ".", goos, goarch, nil, "goprofinstr_std", "goprofinstr_sampler")
	compared := 0
	for ident, object := range info.Defs {
		c, ok := object.(*types.Const)
		if !ok {
			continue
		}
		name := nameOf(info, ident, c)
		expression, known := official[goos][name]
		if !known {
			expression, known = official[""][name]
		}
		if !known && strings.HasPrefix(name, "sys") {
			expression, known = systemCall(name), true
		}
		if !known {
			t.Errorf("%s: nothing says what it is in Go's packages", name)
			continue
		}
		if expression == ours {
			continue
		}
		want, err := types.Eval(token.NewFileSet(), go_, token.NoPos, expression)
		if err != nil || want.Value == nil {
			t.Errorf("%s: %s: %v", name, expression, err)
			continue
		}
		if compared++; !sameWord(c.Val(), want.Value) {
			t.Errorf("%s is %v, and %s is %v", name, c.Val(), expression, want.Value)
		}
	}
	t.Logf("%d constants", compared)
	if compared < 15 {
		t.Error("too few: the files were not read")
	}
	sizes := types.SizesFor("gc", goarch)
	for pair, offsets := range fields[goos] {
		mine, theirs, _ := strings.Cut(pair, " ")
		a, b := structure(t, own, mine), structure(t, go_, theirs)
		for field, other := range offsets {
			if got, want := offset(t, sizes, a, field), offset(t, sizes, b, other); got != want {
				t.Errorf("%s.%s is at %d, and %s.%s at %d", mine, field, got, theirs, other, want)
			}
		}
		if got, want := sizes.Sizeof(a), sizes.Sizeof(b); got < want {
			t.Errorf("%s has %d bytes, and %s %d", mine, got, theirs, want)
		}
	}
}

// sameWord reports whether two constants are the same in 64 bits.
func sameWord(a, b constant.Value) bool {
	word := func(v constant.Value) (uint64, bool) {
		if u, ok := constant.Uint64Val(constant.ToInt(v)); ok {
			return u, true
		}
		i, ok := constant.Int64Val(constant.ToInt(v))
		return uint64(i), ok
	}
	x, ok := word(a)
	y, also := word(b)
	return ok && also && x == y
}

var capital = regexp.MustCompile("[A-Z]")

// systemCall returns the official name of a system call's number.
func systemCall(name string) string {
	return strings.ToUpper(capital.ReplaceAllString(name, "_$0"))
}

// nameOf returns the name of a constant, with that of its function before it.
func nameOf(info *types.Info, ident *ast.Ident, c *types.Const) string {
	for node, scope := range info.Scopes {
		f, ok := node.(*ast.FuncType)
		if !ok || !scope.Contains(ident.Pos()) {
			continue
		}
		for name, object := range info.Defs {
			if function, ok := object.(*types.Func); ok && name.End() <= f.End() && function.Scope() == scope {
				return function.Name() + "." + c.Name()
			}
		}
	}
	return c.Name()
}

// officialPackage returns golang.org/x/sys/unix or windows for a system.
func officialPackage(t *testing.T, goos, goarch string) *types.Package {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(out)), "src")
	syscall, _ := checkFolder(t, filepath.Join(src, "syscall"), goos, goarch, nil)
	folder := "unix"
	if goos == "windows" {
		folder = goos
	}
	p, _ := checkFolder(t, filepath.Join(src, "cmd", "vendor", "golang.org", "x", "sys", folder), goos, goarch, syscall)
	return p
}

// checkFolder returns a package for a system, of which what is not there for other packages' sake
// is left out: they are empty, but for syscall.
func checkFolder(t *testing.T, dir, goos, goarch string, syscall *types.Package, tags ...string) (*types.Package, *types.Info) {
	t.Helper()
	ctxt := build.Default
	ctxt.GOOS, ctxt.GOARCH, ctxt.CgoEnabled, ctxt.BuildTags = goos, goarch, false, tags
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if match, err := ctxt.MatchFile(filepath.Split(name)); err != nil || !match || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object), Scopes: make(map[ast.Node]*types.Scope)}
	conf := types.Config{
		Importer:         importer{syscall},
		Error:            func(error) {}, // of what the empty packages do not have
		IgnoreFuncBodies: dir != ".",
		Sizes:            types.SizesFor("gc", goarch),
	}
	p, _ := conf.Check(dir, fset, files, info)
	return p, info
}

// An importer imports packages that are empty, but for syscall.
type importer struct{ syscall *types.Package }

func (i importer) Import(path string) (*types.Package, error) {
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case path == "syscall" && i.syscall != nil:
		return i.syscall, nil
	}
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// structure returns a structure of a package.
func structure(t *testing.T, p *types.Package, name string) *types.Struct {
	t.Helper()
	object := p.Scope().Lookup(name)
	if object == nil {
		t.Fatalf("there is no %s", name)
	}
	return object.Type().Underlying().(*types.Struct)
}

// offset returns where a field is.
func offset(t *testing.T, sizes types.Sizes, s *types.Struct, name string) int64 {
	t.Helper()
	var list []*types.Var
	for i := range s.NumFields() {
		list = append(list, s.Field(i))
	}
	for i, at := range sizes.Offsetsof(list) {
		if list[i].Name() == name {
			return at
		}
	}
	t.Fatalf("there is no field %s", name)
	return 0
}
