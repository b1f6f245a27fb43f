package main

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// sameMeta is the command `samemeta DIR DIR` of scripts: two directories of coverage data are about the same packages, in
// the words of the cover tool: the same file, byte for byte.
func sameMeta(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samemeta DIR DIR")
	}
	meta := func(dir string) (name, data string) {
		entries, err := os.ReadDir(ts.MkAbs(dir))
		ts.Check(err)
		i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "covmeta.") })
		if i < 0 {
			ts.Fatalf("no meta-data file in %s", dir)
		}
		name = entries[i].Name()
		return name, ts.ReadFile(dir + "/" + name)
	}
	name, data := meta(args[0])
	wantName, want := meta(args[1])
	if name != wantName || data != want {
		ts.Fatalf("%s of %d bytes, want %s of %d bytes", name, len(data), wantName, len(want))
	}
}

// doubled is the command `doubled ONE TWO` of scripts: two coverage profiles have the same extents, and the second one twice
// the counts.
func doubled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: doubled ONE TWO")
	}
	one, two := strings.Split(ts.ReadFile(args[0]), "\n"), strings.Split(ts.ReadFile(args[1]), "\n")
	if len(one) != len(two) || len(one) < 3 {
		ts.Fatalf("%d lines, want %d", len(two), len(one))
	}
	for i, line := range one {
		at := strings.LastIndex(line, " ") + 1
		if n, err := strconv.Atoi(line[at:]); err == nil {
			line = line[:at] + strconv.Itoa(2*n)
		}
		if two[i] != line {
			ts.Fatalf("%s, want %s", two[i], line)
		}
	}
}

// sameSums is the command `samesums FILE FILE` of scripts: two tracefiles of lcov have the same counts, however many
// sections these are in.
func sameSums(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samesums FILE FILE")
	}
	a, b := sumsOf(ts, args[0]), sumsOf(ts, args[1])
	if !maps.Equal(a, b) || len(a) == 0 {
		ts.Fatalf("%d records, want %d:\n%v\n%v", len(a), len(b), a, b)
	}
}

// sumsOf adds up the counts of a tracefile, by all that is before the count in a record.
func sumsOf(ts *testscript.TestScript, name string) map[string]int {
	sums, file := make(map[string]int), ""
	for line := range strings.Lines(ts.ReadFile(name)) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch kind {
		case "SF":
			file = rest
		case "FN":
			sums[file+" "+line] = 0
		case "FNDA":
			count, name, _ := strings.Cut(rest, ",")
			n, err := strconv.Atoi(count)
			ts.Check(err)
			sums[file+" "+name] += n
		case "DA", "BRDA":
			at := strings.LastIndex(line, ",")
			n, _ := strconv.Atoi(strings.TrimSpace(line[at+1:])) // or "-"
			sums[file+" "+line[:at]] += n
		}
	}
	return sums
}
