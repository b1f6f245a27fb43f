package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadResults(t *testing.T) {
	r, err := readResults(strings.NewReader(`{"Action":"build-output","ImportPath":"m/broken","Output":"x"}
{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestX"}
{"Action":"run","Package":"m/a","Test":"TestX/with spaces"}
noise {
{"Action":"output","Package":"m/a","Test":"TestX","Output":"=== RUN"}
{"Action":"skip","Package":"m/a","Test":"TestX/with spaces"}
{"Action":"pass","Package":"m/a","Test":"TestX"}
{"Action":"run","Package":"m/a","Test":"TestP/into_0xc01234"}
{"Action":"fail","Package":"m/a","Test":"TestP/into_0xc01234"}
{"Action":"run","Package":"m/a","Test":"TestP/into_0xc05678"}
{"Action":"pass","Package":"m/a","Test":"TestP/into_0xc05678"}
{"Action":"pass","Package":"m/a","Test":"TestP/at_time.Date(2026,_time.May,_1,_time.Local)"}
{"Action":"run","Package":"m/a","Test":"TestY"}
{"Action":"fail","Package":"m/a"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := results{
		"m/a": "fail", "m/a TestX": "pass", "m/a TestX/with spaces": "skip", "m/a TestP/into_…": "fail", "m/a TestP/at_…": "pass",
		"m/a TestY": unfinished,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func TestCompare(t *testing.T) {
	plain := results{"m": "pass", "m A": "pass", "m B": "pass", "m C": "pass", "m Gone": "skip", "m/n D": "pass", exitCode: "0"}
	wrapped := results{"m": "fail", "m A": "fail", "m B": "fail", "m C": "fail", "m New": "pass", "m/n D": "pass", exitCode: "1"}
	differences := compare(plain, wrapped)
	if diff := cmp.Diff([]string{"m"}, packages(differences)); diff != "" {
		t.Error(diff)
	}
	// When they are run again B passes wrapped, C fails plainly, E differs for the first time, and D is not run.
	plain = results{"m": "pass", "m A": "pass", "m B": "pass", "m C": "fail", "m E": "pass", "m Gone": "skip", exitCode: "0"}
	wrapped = results{"m": "fail", "m A": "fail", "m B": "pass", "m C": "fail", "m E": "fail", "m New": "pass", exitCode: "1"}
	made := &row{Subject: "m", Mode: "exact", Results: 6, PlainExit: "0", WrappedExit: "1", Differences: addRun(differences, plain, wrapped)}
	var text strings.Builder
	same, err := printRows(&text, []*row{made})
	if err != nil || same {
		t.Errorf("same %t, %v", same, err)
	}
	want := `module and mode  results  different  unsettled  flaky  exit codes
m, exact               6          6          1      1         0 1
different: m, exact: exit code: plain 0 0, wrapped 1 1
different: m, exact: m: plain pass pass, wrapped fail fail
different: m, exact: m A: plain pass pass, wrapped fail fail
unsettled: m, exact: m B: plain pass pass, wrapped fail pass
flaky: m, exact: m C: plain pass fail, wrapped fail fail
different: m, exact: m Gone: plain skip skip, wrapped absent absent
different: m, exact: m New: plain absent absent, wrapped pass pass
different: m, exact: m E: plain pass, wrapped fail
`
	if text.String() != want {
		t.Errorf("got:\n%swant:\n%s", &text, want)
	}
}

func TestRowsAreKept(t *testing.T) {
	r := &runner{dir: t.TempDir()}
	s, m := &subject{Module: "example.com/m"}, allModes[0]
	if kept, err := r.load(s, m); kept != nil || err != nil {
		t.Errorf("before: %+v, %v", kept, err)
	}
	made := &row{Subject: "example.com/m", Mode: "exact", Results: 2, Differences: []*difference{{"m A", []string{"pass"}, []string{"fail"}}}}
	if err := r.save(s, m, made); err != nil {
		t.Fatal(err)
	}
	kept, err := r.load(s, m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, kept); diff != "" {
		t.Error(diff)
	}
}

func TestReadSubjects(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	list := write("list.json", `[{"kind":"module","module":"example.com/a","version":"v1.0.0","dir":"x","patterns":["./b"],"testFlags":["-short"]},
		{"kind":"std","module":"std","version":"go1.2","dir":null,"patterns":["archive/zip"],"testFlags":[]}]`)
	write("go.mod", "module m\n")
	subjects, err := readSubjects(list+",modules.json", []string{"std:sort", "example.com/c@v1.2.3", dir})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range subjects {
		names = append(names, s.name())
	}
	first, last := names[:2], names[len(names)-3:]
	if diff := cmp.Diff([]string{"example.com_a", "std archive_zip"}, first); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"std sort", "example.com_c", filepath.Base(dir)}, last); diff != "" {
		t.Error(diff)
	}
}

func TestCompareCounts(t *testing.T) {
	here := []counts{
		{"f": "1", "flips": "1", "once": "1", "g": "1", "here": "1"},
		{"f": "1", "flips": "2", "g": "1", "here": "1"},
	}
	there := []counts{
		{"f": "1", "flips": "2", "g": "2", "there": "1", "changes": "1"},
		{"f": "1", "flips": "2", "g": "2", "there": "1", "changes": "2"},
	}
	want := &countRow{Same: 1, Varying: 3, Other: []string{"g", "here", "there"}}
	if diff := cmp.Diff(want, compareCounts(here, there)); diff != "" {
		t.Error(diff)
	}
	made := &row{Subject: "m", Mode: "exact", Counts: want}
	var text strings.Builder
	if same, err := printRows(&text, []*row{made}); err != nil || same {
		t.Errorf("same %t, %v", same, err)
	}
	if got := text.String(); !strings.Contains(got, "m, exact") || !strings.Contains(got, "other: m, exact: there\n") {
		t.Error(got)
	}
}

func TestParseTarget(t *testing.T) {
	for _, test := range []struct {
		name, exec string
		want       target
		bad        bool
	}{
		{"", "", target{}, false},
		{"linux/arm64", "qemu-aarch64-static", target{"linux", "arm64", "qemu-aarch64-static"}, false},
		{"linux/arm64", "", target{}, true},
		{"linux", "qemu-aarch64-static", target{}, true},
		{"", "qemu-aarch64-static", target{}, true},
	} {
		if got, err := parseTarget(test.name, test.exec); got != test.want || (err != nil) != test.bad {
			t.Errorf("%q, %q: %+v, %v", test.name, test.exec, got, err)
		}
	}
}
