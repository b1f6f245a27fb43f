package release

import "strings"

// table has an entry for each release, the oldest first. A new release is an entry below, which says what is not as
// in the release before. Then the leg of .ci/run with that toolchain tells what is missing.
var table = []*Release{go126, go127}

// The standard library of go1.26 is the first that has all that the runtime imports: internal/runtime/syscall/linux
// is the newest of it.
var go126 = &Release{
	Lang: "go1.26",
	GoCommand: GoCommand{
		BoolFlags: words(`a n v x work race msan asan cover json linkshared modcacherw trimpath buildvcs`),
		ValueFlags: words(`p asmflags buildmode compiler covermode coverpkg gccgoflags gcflags installsuffix ldflags
			mod modfile overlay pgo pkgdir tags toolexec debug-actiongraph debug-runtime-trace debug-trace`),
		TestBoolFlags: words(`c i artifacts benchmem failfast fullpath short`),
		TestValueFlags: words(`o exec vet bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz
			fuzzminimizetime fuzztime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir
			parallel run shuffle skip timeout trace`),
		LoadFlags: words(`race msan asan mod modfile tags compiler installsuffix overlay buildmode trimpath modcacherw
			gcflags asmflags pgo`),
		CoverFlags: words(`cover covermode coverpkg coverprofile`),
		Analyzers: words(`appends asmdecl assign atomic bool bools buildtag buildtags cgocall composites copylocks defers
			directive errorsas framepointer hostport httpresponse ifaceassert loopclosure lostcancel methods nilfunc
			printf rangeloops shift sigchanyzer slog stdmethods stdversion stringintconv structtag testinggoroutine
			tests timeformat unmarshal unreachable unsafeptr unusedresult waitgroup`),
		VetDefault:  words(`atomic bool buildtags directive errorsas ifaceassert nilfunc printf slog stringintconv tests`),
		DefaultLang: "go1.16",
		Settings: words(`GOCACHE GOEXPERIMENT GO386 GOAMD64 GOARM GOARM64 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM
			GOFIPS140 CGO_ENABLED CC CXX`),
	},
	Compiler: Compiler{
		Inlines:   []string{": can inline ", ": inlining call to "},
		Escapes:   []string{" does not escape", " escapes to heap", ": leaking param", ": moved to heap: "},
		Threshold: "pgoinlinecdfthreshold",
		Budget:    "pgoinlinebudget",
		Off:       words(`pgodevirtualize alignhot`),
	},
	Cover: Cover{
		Uncovered: words(`sync/atomic internal/runtime/atomic`),
	},
}

var go127 = next(go126, "go1.27", func(r *Release) {
	r.GoCommand.VetDefault = words(`atomic bools buildtag directive errorsas ifaceassert nilfunc printf slog stdversion
		stringintconv tests`)
	r.Cover.SplitsAtGaps = true
	r.Compiler.JoinsLineNames = true
	r.Compiler.RangeNames = true
})

// next returns the entry of a release that is as another but for what change does. Lists are shared: change
// replaces them.
func next(before *Release, lang string, change func(*Release)) *Release {
	r := *before
	r.Lang = lang
	change(&r)
	return &r
}

func words(s string) []string { return strings.Fields(s) }
