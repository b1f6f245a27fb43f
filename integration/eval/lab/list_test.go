package lab

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestList looks for slips in the lists, which the decoder does not see.
func TestList(t *testing.T) {
	for _, name := range []string{Benchmarks, Workloads, ContextBenchmarks} {
		list, err := ReadList(name)
		if err != nil {
			t.Fatal(err)
		}
		checkList(t, list, name == ContextBenchmarks)
	}
}

// checkList checks a list; in that of contexts parallel benchmarks have no suite of their own.
func checkList(t *testing.T, list []Entry, contexts bool) {
	seen := make(map[string]bool)
	all := regexp.MustCompile("")
	lists := [][]*Target{SelectTargets(list, all, false), SelectTargets(list, all, true)}
	if contexts {
		lists = [][]*Target{ContextTargets(list, all)}
	}
	for _, targets := range lists {
		for _, target := range targets {
			if target.Suite == "" || (target.Module == "") != (target.Version+target.Local == "") || !strings.HasPrefix(target.Pkg, target.Module) {
				t.Errorf("%s: suite %q, module %q, version %q", target.Pkg, target.Suite, target.Module, target.Version)
			}
			for _, j := range target.Jobs {
				name := j.Suite + " " + j.Name(target.Pkg)
				if seen[name] || j.Bench == "" || strings.HasPrefix(j.Bench, "Benchmark") {
					t.Errorf("%s is there twice, or is no name", name)
				}
				seen[name] = true
			}
		}
	}
}

func TestContextTargets(t *testing.T) {
	list := []Entry{{Suite: "precision", Packages: []listed{{Path: "sort", Benchmarks: []string{"A"},
		Parallel: []string{"A", "B"}}}}}
	var names []string
	for _, target := range ContextTargets(list, regexp.MustCompile("")) {
		for _, j := range target.Jobs {
			names = append(names, j.Suite+" "+j.Name(target.Pkg))
		}
	}
	if got, want := strings.Join(names, ", "), "precision sort.A, precision sort.A-2, precision sort.B-2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if targets := ContextTargets(list, regexp.MustCompile("B-2$")); len(targets) != 1 || len(targets[0].Jobs) != 1 {
		t.Errorf("%v match", targets)
	}
}

func TestSelectTargets(t *testing.T) {
	list := []Entry{
		{Suite: "std", Packages: []listed{{Path: "sort", Benchmarks: []string{"A", "B"}, Parallel: []string{"P"}}}},
		{Suite: "modules", Module: "m", Version: "v1.0.0",
			Packages: []listed{{Path: "m/sort", Benchmarks: []string{"A"}}}},
	}
	names := func(match string, parallel bool) string {
		var names []string
		for _, target := range SelectTargets(list, regexp.MustCompile(match), parallel) {
			for _, j := range target.Jobs {
				names = append(names, j.Name(target.Pkg))
			}
		}
		return strings.Join(names, " ")
	}
	for _, test := range []struct {
		match    string
		parallel bool
		want     string
	}{
		{"", false, "sort.A sort.B m/sort.A"},
		{"^std ", false, "sort.A sort.B"},
		{`sort\.A$`, false, "sort.A m/sort.A"},
		{"", true, "sort.P sort.P-2"},
	} {
		if got := names(test.match, test.parallel); got != test.want {
			t.Errorf("%q, parallel %t: got %s, want %s", test.match, test.parallel, got, test.want)
		}
	}
}

// TestAllModes holds that rare modes are built only if they are named.
func TestAllModes(t *testing.T) {
	all := AllModes()
	if len(all) == 0 || all[0].Name != Plain || slices.ContainsFunc(all, func(m Mode) bool { return m.rare }) {
		t.Errorf("%+v", all)
	}
}

func TestModes(t *testing.T) {
	selected, err := SelectModes("cover-set,exact", Modes)
	if err != nil {
		t.Fatal(err)
	}
	w := &Workshop{Modes: selected}
	if got, want := strings.Join(w.Columns(), " "), "plain A/A cover-set exact"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(w.Built(), " "), "plain cover-set exact"; got != want {
		t.Errorf("built %s, want %s", got, want)
	}
	if m, err := SelectModes("exact,fast", Modes); err == nil {
		t.Errorf("of a mode that there is not: %v", m)
	}
}

// TestBuildCommand holds that the same package is instrumented whatever the mode.
func TestBuildCommand(t *testing.T) {
	target := &Target{Entry: &Entry{BuildFlags: []string{"-tags=x"}}, Pkg: "m/p", Instrument: "m/..."}
	for _, test := range []struct {
		mode string
		want string
	}{
		{"plain", "go test -c -vet=off -o f -tags=x m/p"},
		{"atomic", "goprofinstr wrap -pkg=m/... -mode=exact -atomic go test -c -vet=off -o f -tags=x m/p"},
		{"cover-count", "go test -c -vet=off -o f -covermode=count -coverpkg=m/... -tags=x m/p"},
	} {
		got := FindMode(test.mode).BuildCommand("goprofinstr", target, "f")
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: got %s, want %s", test.mode, got, test.want)
		}
	}
}
