package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestList looks for slips in the lists, which the decoder does not see.
func TestList(t *testing.T) {
	for _, name := range []string{benchmarks, workloads, inContexts} {
		list, err := readList(name)
		if err != nil {
			t.Fatal(err)
		}
		checkList(t, list, name == inContexts)
	}
}

// checkList checks a list; in that of contexts parallel benchmarks have no suite of their own.
func checkList(t *testing.T, list []entry, contexts bool) {
	seen := make(map[string]bool)
	all := regexp.MustCompile("")
	lists := [][]*target{selectTargets(list, all, false), selectTargets(list, all, true)}
	if contexts {
		lists = [][]*target{contextTargets(list, all)}
	}
	for _, targets := range lists {
		for _, target := range targets {
			if target.Suite == "" || (target.Module == "") != (target.Version+target.Local == "") || !strings.HasPrefix(target.pkg, target.Module) {
				t.Errorf("%s: suite %q, module %q, version %q", target.pkg, target.Suite, target.Module, target.Version)
			}
			for _, j := range target.jobs {
				name := j.suite + " " + j.name(target.pkg)
				if seen[name] || j.bench == "" || strings.HasPrefix(j.bench, "Benchmark") {
					t.Errorf("%s is there twice, or is no name", name)
				}
				seen[name] = true
			}
		}
	}
}

func TestSelectTargets(t *testing.T) {
	list := []entry{
		{Suite: "std", Packages: []listed{{Path: "sort", Benchmarks: []string{"A", "B"}, Parallel: []string{"P"}}}},
		{Suite: "modules", Module: "m", Version: "v1.0.0", Packages: []listed{{Path: "m/sort", Benchmarks: []string{"A"}}}},
	}
	names := func(match string, parallel bool) string {
		var names []string
		for _, target := range selectTargets(list, regexp.MustCompile(match), parallel) {
			for _, j := range target.jobs {
				names = append(names, j.name(target.pkg))
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

func TestModes(t *testing.T) {
	selected, err := selectModes("cover-set,exact")
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{modes: selected}
	if got, want := strings.Join(w.columns(), " "), "plain A/A cover-set exact"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(w.built(), " "), "plain cover-set exact"; got != want {
		t.Errorf("built %s, want %s", got, want)
	}
	if m, err := selectModes("exact,fast"); err == nil {
		t.Errorf("of a mode that there is not: %v", m)
	}
}

// TestBuildCommand holds that the same package is instrumented whatever the mode.
func TestBuildCommand(t *testing.T) {
	target := &target{entry: &entry{BuildFlags: []string{"-tags=x"}}, pkg: "m/p", instrument: "m/..."}
	for _, test := range []struct {
		mode string
		want string
	}{
		{"plain", "go test -c -vet=off -o f -tags=x m/p"},
		{"atomic", "goprofinstr wrap -pkg=m/... -mode=exact -atomic go test -c -vet=off -o f -tags=x m/p"},
		{"cover-count", "go test -c -vet=off -o f -covermode=count -coverpkg=m/... -tags=x m/p"},
	} {
		got := findMode(test.mode).buildCommand("goprofinstr", target, "f")
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: got %s, want %s", test.mode, got, test.want)
		}
	}
}
