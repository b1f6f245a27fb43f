package integration

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A coveredLine is what a format says of a line: whether it was executed, and its branches.
type coveredLine struct {
	executed   bool
	taken, all int
}

// coveredLines are those of a format, by file and number.
type coveredLines map[string]map[int]coveredLine

func (c coveredLines) set(file string, number int, change func(*coveredLine)) {
	if c[file] == nil {
		c[file] = make(map[int]coveredLine)
	}
	l := c[file][number]
	change(&l)
	c[file][number] = l
}

// totals returns lines, executed lines, branches and taken branches.
func (c coveredLines) totals() (n [4]int) {
	for _, lines := range c {
		for _, l := range lines {
			n[0]++
			if l.executed {
				n[1]++
			}
			n[2] += l.all
			n[3] += l.taken
		}
	}
	return n
}

func readCoverage(t *testing.T, dir, format string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "coverage."+format))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// linesOfLcov reads a tracefile, without the help of lcov.
func linesOfLcov(t *testing.T, text []byte) coveredLines {
	lines, file := make(coveredLines), ""
	for line := range strings.Lines(string(text)) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		fields := strings.Split(rest, ",")
		number, _ := strconv.Atoi(fields[0])
		switch kind {
		case "SF":
			file = rest
		case "DA":
			lines.set(file, number, func(l *coveredLine) { l.executed = l.executed || fields[1] != "0" })
		case "BRDA":
			lines.set(file, number, func(l *coveredLine) {
				l.all++
				if fields[3] != "-" && fields[3] != "0" {
					l.taken++
				}
			})
		}
	}
	return lines
}

func linesOfCodecov(t *testing.T, text []byte) coveredLines {
	var doc struct {
		Coverage map[string]map[int]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	lines := make(coveredLines)
	for file, list := range doc.Coverage {
		for number, v := range list {
			lines.set(file, number, func(l *coveredLine) {
				if n, _ := fmt.Sscanf(string(v), "\"%d/%d\"", &l.taken, &l.all); n == 0 {
					l.executed = string(v) != "0"
				}
			})
		}
	}
	return lines
}

func linesOfCobertura(t *testing.T, text []byte) coveredLines {
	var doc struct {
		Classes []struct {
			Name  string `xml:"filename,attr"`
			Lines []struct {
				Number   int    `xml:"number,attr"`
				Hits     int64  `xml:"hits,attr"`
				Branches string `xml:"condition-coverage,attr"`
			} `xml:"lines>line"`
		} `xml:"packages>package>classes>class"`
	}
	if err := xml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	lines := make(coveredLines)
	for _, c := range doc.Classes {
		for _, l := range c.Lines {
			lines.set(c.Name, l.Number, func(line *coveredLine) {
				line.executed = l.Hits > 0
				if _, branches, ok := strings.Cut(l.Branches, "("); ok {
					fmt.Sscanf(branches, "%d/%d", &line.taken, &line.all)
				}
			})
		}
	}
	return lines
}

func linesOfSonar(t *testing.T, text []byte) coveredLines {
	var doc struct {
		Files []struct {
			Name  string `xml:"path,attr"`
			Lines []struct {
				Number  int  `xml:"lineNumber,attr"`
				Covered bool `xml:"covered,attr"`
				All     int  `xml:"branchesToCover,attr"`
				Taken   int  `xml:"coveredBranches,attr"`
			} `xml:"lineToCover"`
		} `xml:"file"`
	}
	if err := xml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	lines := make(coveredLines)
	for _, f := range doc.Files {
		for _, l := range f.Lines {
			lines.set(f.Name, l.Number, func(line *coveredLine) { *line = coveredLine{l.Covered, l.Taken, l.All} })
		}
	}
	return lines
}

// sameLines compares what all formats say of each line. Codecov's has no word on whether a line with branches was
// executed.
func sameLines(t *testing.T, dir string) coveredLines {
	t.Helper()
	lcov := linesOfLcov(t, readCoverage(t, dir, "lcov"))
	for name, got := range map[string]coveredLines{
		"cobertura": linesOfCobertura(t, readCoverage(t, dir, "cobertura")),
		"sonar":     linesOfSonar(t, readCoverage(t, dir, "sonar")),
		"codecov":   linesOfCodecov(t, readCoverage(t, dir, "codecov")),
	} {
		if name == "codecov" {
			for file, lines := range got {
				for number, l := range lines {
					if l.all > 0 {
						l.executed = lcov[file][number].executed
						lines[number] = l
					}
				}
			}
		}
		if diff := cmp.Diff(lcov, got, cmp.AllowUnexported(coveredLine{})); diff != "" {
			t.Errorf("-lcov +%s:\n%.3000s", name, diff)
		}
	}
	return lcov
}

var gcovrSum = regexp.MustCompile(`(lines|branches): .*\((\d+) out of (\d+)\)`)

// readGcovr has gcovr read Cobertura's XML, which version 7 is the first to do.
func readGcovr(t *testing.T, dir string, totals [4]int) {
	t.Helper()
	const option = "--cobertura-add-tracefile"
	if help, err := exec.Command("gcovr", "--help").Output(); err != nil || !strings.Contains(string(help), option) {
		t.Log("no gcovr here that reads Cobertura's XML")
		return
	}
	out, warnings := run(t, dir, "gcovr", option, "coverage.cobertura", "--print-summary")
	if regexp.MustCompile(`(?i)warn|error`).MatchString(warnings) {
		t.Errorf("gcovr: %s", warnings)
	}
	found := gcovrSum.FindAllStringSubmatch(out, -1)
	for i, m := range found {
		if m[2] != strconv.Itoa(totals[2*i+1]) || m[3] != strconv.Itoa(totals[2*i]) {
			t.Errorf("gcovr has %s of %s %s; totals are %v", m[2], m[3], m[1], totals)
		}
	}
	if len(found) != 2 {
		t.Errorf("no sums in what gcovr says:\n%s", out)
	}
}

var lcovSum = regexp.MustCompile(`(lines|branches)\.*: .*\((\d+) of (\d+) `)

// branchOption is the setting of lcov for branches, which has another name in version 1.
func branchOption() string {
	if out, err := exec.Command("lcov", "--version").Output(); err == nil && strings.Contains(string(out), "version 1.") {
		return "lcov_branch_coverage=1"
	}
	return "branch_coverage=1"
}

// readLcov has lcov and genhtml read a tracefile, and returns the branches and those that were taken.
func readLcov(t *testing.T, dir string) [2]int {
	t.Helper()
	totals := sameLines(t, dir).totals()
	t.Logf("%d lines, %d executed; %d branches, %d taken", totals[0], totals[1], totals[2], totals[3])
	for _, tool := range [][]string{
		{"lcov", "--rc", branchOption(), "--summary", "coverage.lcov"},
		{"genhtml", "--branch-coverage", "--quiet", "-o", "html", "coverage.lcov"},
	} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("no %s here", tool[0])
			continue
		}
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || regexp.MustCompile(`(?i)warn|error`).Match(out) {
			t.Errorf("%v: %v\n%s", tool, err, out)
		}
		for _, m := range lcovSum.FindAllStringSubmatch(string(out), -1) {
			executed, all := totals[1], totals[0]
			if m[1] == "branches" {
				executed, all = totals[3], totals[2]
			}
			if m[2] != strconv.Itoa(executed) || m[3] != strconv.Itoa(all) {
				t.Errorf("%d of %d %s, lcov has %s of %s", executed, all, m[1], m[2], m[3])
			}
		}
	}
	readGcovr(t, dir, totals)
	return [2]int{totals[2], totals[3]}
}

// readXML holds the XML formats to their schemas.
func readXML(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Log("no xmllint here")
		return
	}
	schemas, err := filepath.Abs("../export/coverage/testdata")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "xmllint", "--noout", "--nonet", "--dtdvalid", filepath.Join(schemas, "cobertura.dtd"), "coverage.cobertura")
	run(t, dir, "xmllint", "--noout", "--nonet", "--schema", filepath.Join(schemas, "sonar.xsd"), "coverage.sonar")
}

// readCovdata holds the coverage data to the coverage profile of all tests together: the same extents.
func readCovdata(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, goprofinstr, "export", "-format", "covdata", "-o", "cov", "out")
	_, warnings := run(t, dir, "go", "tool", "covdata", "textfmt", "-i", "cov", "-o", "cov.text")
	if warnings != "" {
		t.Errorf("covdata: %s", warnings)
	}
	percent, _ := run(t, dir, "go", "tool", "covdata", "percent", "-i", "cov")
	own, _ := run(t, dir, goprofinstr, "cover", "out")
	percents := regexp.MustCompile(`(?m)^\t(\S+)\t\tcoverage: (\S+%) of statements`)
	of := func(text string) map[string]string {
		by := make(map[string]string)
		for _, m := range percents.FindAllStringSubmatch(text, -1) {
			by[m[1]] = m[2]
		}
		delete(by, "total")
		return by
	}
	ours, theirs := of(own), of(percent)
	for pkg := range theirs {
		if _, ok := ours[pkg]; !ok { // all of it was declined
			t.Logf("%s is in covdata only", pkg)
			delete(theirs, pkg)
		}
	}
	if diff := cmp.Diff(theirs, ours); diff != "" || len(ours) == 0 {
		t.Errorf("statements (-go tool covdata percent +goprofinstr cover):\n%s", diff)
	}
	if *coverageCorpus != "" {
		mergeWithGo(t, dir)
	}
}

// mergeWithGo merges the coverage data with what go test writes of the same tests: all extents are the same, or there would be
// more.
func mergeWithGo(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"gocov", "both"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-cover", "-covermode=count", "-coverpkg=./...", skipSlow, "./...",
		"-args", "-test.gocoverdir="+filepath.Join(dir, "gocov"))
	cmd.Dir = dir
	cmd.CombinedOutput() // some fail
	extents := func(from string) (list []string) {
		run(t, dir, "go", "tool", "covdata", "textfmt", "-i", from, "-o", from+".text")
		text, err := os.ReadFile(filepath.Join(dir, from+".text"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			at := max(strings.LastIndex(line, " "), 0)
			list = append(list, line[:at])
		}
		return list
	}
	run(t, dir, "go", "tool", "covdata", "merge", "-pcombine", "-i", "cov,gocov", "-o", "both")
	if diff := cmp.Diff(extents("cov"), extents("both")); diff != "" {
		t.Errorf("extents (-goprofinstr +both):\n%.2000s", diff)
	}
	t.Logf("%d extents, of which go test has %d", len(extents("cov")), len(extents("gocov")))
}
