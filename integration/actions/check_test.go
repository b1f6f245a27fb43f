package actions

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// A job runs what is for pull requests in checkouts of a repository that has a main branch and a change.
type job struct {
	folder // has all that follows
	api    *api
	env    []string

	outputs map[string]map[string]string // of steps, by id
}

const shop = `package shop

// Price is tested.
func Price(n int) int {
	if n > 10 {
		return n - 1
	}
	return n
}
`

const discount = `
// Discount has half a test.
func Discount(n int) int {
	if n > 100 {
		return n / 10
	}
	return 0
}
`

const shopTest = `package shop

import "testing"

func TestPrice(t *testing.T) { Price(1); Price(11) }
`

// newJob makes the repository: a program with tests on main, and on the branch change a function of which half is tested.
func newJob(t *testing.T) *job {
	t.Helper()
	r := recordedOf(t, githubScript) // or the test is skipped
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	j := &job{folder: folder{t, t.TempDir()}, api: r.api}
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	j.write("bin/.keep", "")
	if err := os.Symlink(goprofinstr, j.in("bin/goprofinstr")); err != nil {
		t.Fatal(err)
	}
	j.env = append(r.env, "PATH="+j.in("bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_CACHE_HOME="+j.in("cache"), "GOCACHE="+strings.TrimSpace(string(gocache)), "GOFLAGS=-buildvcs=false", "GOWORK=off",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "RUNNER_TEMP="+j.in("temp"), "GITHUB_ACTION_PATH="+action,
		"GITHUB_STEP_SUMMARY="+j.in("temp/summary"), "GITHUB_OUTPUT="+j.in("temp/output"), "GITHUB_PATH="+j.in("temp/path"))
	j.write("origin/go.mod", "module example.com/shop\n\ngo 1.26\n")
	j.write("origin/shop.go", shop)
	j.write("origin/shop_test.go", shopTest)
	j.git("origin", "init", "-q", "-b", "main")
	j.commit("first")
	j.git("origin", "checkout", "-q", "-b", "change")
	j.write("origin/shop.go", shop+discount)
	j.write("origin/more_test.go", strings.ReplaceAll(shopTest, "TestPrice(t *testing.T) { Price(1); Price(11)", "TestDiscount(t *testing.T) { Discount(1)"))
	j.commit("discount")
	return j
}

func (j *job) git(dir string, args ...string) string {
	j.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = j.in(dir), j.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		j.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (j *job) commit(message string) {
	j.t.Helper()
	j.git("origin", "add", ".")
	j.git("origin", "commit", "-q", "-m", message)
}

// checkout makes a new checkout of a branch, as each job begins with.
func (j *job) checkout(branch string, flags ...string) {
	j.t.Helper()
	if err := os.RemoveAll(j.in("work")); err != nil {
		j.t.Fatal(err)
	}
	j.git(".", append(append([]string{"clone", "-q", "-b", branch}, flags...), "file://"+j.in("origin"), "work")...)
}

// bash runs a script in the checkout, and returns what it prints.
func (j *job) bash(name, script string, env ...string) (string, error) {
	j.t.Helper()
	j.write("temp/script.sh", script)
	cmd := exec.Command("bash", "--noprofile", "--norc", "-euo", "pipefail", j.in("temp/script.sh"))
	cmd.Dir, cmd.Env = j.in("work"), append(j.env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	j.t.Logf("%s: %v\n%s", name, err, out.String())
	return out.String(), err
}

// run runs the steps of the action with inputs, but for the first, which installs goprofinstr, and those of other actions. It
// returns what they print, and the first error; steps after an error are skipped.
func (j *job) run(inputs map[string]string, env ...string) (out string, err error) {
	j.t.Helper()
	for _, name := range []string{"summary", "output", "path"} {
		j.write("temp/"+name, "")
	}
	a := readAction(j.t, checkAction)
	j.outputs = make(map[string]map[string]string)
	for _, s := range a.Runs.Steps[1:] {
		if s.Run == "" || s.If != "" && !j.holds(a, s.If, inputs) {
			continue
		}
		step := append([]string{}, env...)
		for name, value := range s.Env {
			step = append(step, name+"="+j.evaluate(a, value, inputs))
		}
		said, failed := j.bash(s.Name, s.Run, step...)
		out += said
		if failed != nil && !s.ContinueOnError {
			return out, failed
		}
		j.outputs[s.ID] = make(map[string]string)
		for line := range strings.Lines(j.read("temp/output")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			j.outputs[s.ID][name] = value
		}
	}
	return out, nil
}

// evaluate puts values in the place of expressions.
func (j *job) evaluate(a *action, text string, inputs map[string]string) string {
	j.t.Helper()
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		return j.value(a, strings.TrimSpace(strings.Trim(e, "${}")), inputs)
	})
}

// value returns the value of a name in an expression.
func (j *job) value(a *action, name string, inputs map[string]string) string {
	j.t.Helper()
	parts := strings.Split(name, ".")
	switch {
	case parts[0] == "inputs" && parts[1] == "token":
		return token
	case parts[0] == "inputs":
		if value, ok := inputs[parts[1]]; ok {
			return value
		}
		return a.Inputs[parts[1]].Default
	case parts[0] == "steps" && len(parts) == 4:
		return j.outputs[parts[1]][parts[3]]
	case name == "runner.temp":
		return j.in("temp")
	}
	j.t.Fatalf("this test does not know what %s is", name)
	return ""
}

// holds evaluates a comparison with a text.
func (j *job) holds(a *action, condition string, inputs map[string]string) bool {
	j.t.Helper()
	parts := strings.Fields(condition)
	if len(parts) != 3 || parts[1] != "==" && parts[1] != "!=" {
		j.t.Fatalf("this test does not know what %s is", condition)
	}
	return (j.value(a, parts[0], inputs) == strings.Trim(parts[2], "'")) == (parts[1] == "==")
}

const made = "the profile of the merge base"

// TestCheckAction follows a pull request to where it may be merged. The profile of main is kept when main is pushed.
func TestCheckAction(t *testing.T) {
	j := newJob(t)
	push, err := filepath.Abs("testdata/push.json")
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{"check": "-min-condition 100", "command": "go test -run 'Test.*' ./..."}

	j.checkout("main")
	out, err := j.run(inputs, "GITHUB_EVENT_PATH="+push, "GITHUB_BASE_REF=")
	if err != nil || strings.Contains(out, made) || !strings.Contains(out, "no comment: this run is of no pull request") {
		t.Fatalf("main: %v\n%s", err, out)
	}

	j.checkout("change")
	out, err = j.run(inputs, "GITHUB_BASE_REF=main")
	if err == nil || strings.Contains(out, made) {
		t.Errorf("a change that lacks a test: %v\n%s", err, out)
	}
	for _, want := range []string{"::error file=shop.go,line=13,", "::error title=goprofinstr::changed lines do not have what they must"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	ours, summary := j.api.ours(), j.read("temp/summary")
	if len(ours) != 1 || ours[0].Body != "<!-- goprofinstr goprofinstr -->\n"+summary || !strings.Contains(summary, "the check has failed") {
		t.Errorf("comments %v, summary %q", ours, summary)
	}

	j.write("origin/half_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) { Discount(101) }\n")
	j.commit("test the other half")
	j.checkout("change")
	if out, err = j.run(inputs, "GITHUB_BASE_REF=main"); err != nil || strings.Contains(out, made) {
		t.Errorf("a change that has its tests: %v\n%s", err, out)
	}
	if passed := j.outputs["check"]["passed"]; passed != "true" {
		t.Errorf("passed is %q", passed)
	}
	if ours := j.api.ours(); len(ours) != 1 || !strings.Contains(ours[0].Body, "the check has passed") {
		t.Errorf("comments %v", ours)
	}
	if got := j.api.written(); got != "create, update 1130" {
		t.Errorf("the API was asked to %s", got)
	}

	j.checkout("change", "--depth", "1", "--no-single-branch")
	if out, err = j.run(inputs, "GITHUB_BASE_REF=main"); err == nil || !strings.Contains(out, "fetch-depth: 0") {
		t.Errorf("a checkout without history: %v\n%s", err, out)
	}
	if got := j.api.written(); got != "" {
		t.Errorf("the API was asked to %s", got)
	}
}

// TestCheckFailedTests has a change whose tests fail: there is a comment all the same, and the action fails. Without a profile
// there is no comment.
func TestCheckFailedTests(t *testing.T) {
	j := newJob(t)
	j.write("origin/fails_test.go", "package shop\n\nimport \"testing\"\n\n"+
		"func TestFails(t *testing.T) { t.Error(Discount(101)) }\n")
	j.commit("a test that fails")
	j.checkout("change")
	out, err := j.run(map[string]string{"check": "-min-condition 100"}, "GITHUB_BASE_REF=main")
	if err == nil || !strings.Contains(out, "::error title=goprofinstr::tests have failed; ") {
		t.Errorf("a test that fails: %v\n%s", err, out)
	}
	ours := j.api.ours()
	if len(ours) != 1 || !strings.Contains(ours[0].Body, "the check has passed") ||
		!strings.Contains(ours[0].Body, "**Tests have failed.**") {
		t.Errorf("comments %v", ours)
	}
	j.api.written()

	j.write("origin/fails_test.go", "package shop\n\nfunc broken() {\n")
	j.commit("tests that do not compile")
	j.checkout("change")
	if out, err = j.run(nil, "GITHUB_BASE_REF=main"); err == nil || strings.Contains(out, "check.sh") {
		t.Errorf("tests that do not compile: %v\n%s", err, out)
	}
	if got := j.api.written(); got != "" {
		t.Errorf("without a profile the API was asked to %s", got)
	}
}

// TestInstallCheck has the first step, with a go that writes its arguments down.
func TestInstallCheck(t *testing.T) {
	j := newJob(t)
	j.checkout("main")
	j.write("temp/path", "")
	j.write("bin/go", `#!/bin/sh
case "$2" in
GOVERSION) echo "go1.26.8 X:loopvar" ;;
GOBIN) echo ;;
GOPATH) echo /home/someone/go ;;
*) echo "$GOTOOLCHAIN $*" >"$RUNNER_TEMP/go.log" ;;
esac
`)
	step := readAction(t, checkAction).Runs.Steps[0]
	if _, err := j.bash(step.Name, step.Run); err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := j.read("temp/go.log"), "go1.26.8 -C "+action+" install ./cmd/goprofinstr\n"; got != want {
		t.Errorf("go %q, want %q", got, want)
	}
	if got := j.read("temp/path"); got != "/home/someone/go/bin\n" {
		t.Errorf("path %q", got)
	}
}

// A pipeline is what the recipe for GitLab uses of a job; other fields would be mistakes.
type pipeline struct {
	Coverage struct {
		Image     string
		Rules     []struct{ If string }
		Variables map[string]string
		Cache     struct {
			Key struct {
				Files  []string
				Prefix string
			}
			Paths []string
		}
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		Coverage     string
		Artifacts    struct {
			When    string
			Paths   []string
			Reports struct {
				CoverageReport struct {
					Format string `yaml:"coverage_format"`
					Path   string
				} `yaml:"coverage_report"`
			}
		}
	}
}

// TestPipeline runs the recipe for GitLab: its lines one after the other in one shell, as GitLab does.
func TestPipeline(t *testing.T) {
	j := newJob(t)
	var p pipeline
	d := yaml.NewDecoder(bytes.NewReader(read(t, checkPipeline)))
	d.KnownFields(true)
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	run := func() (string, error) {
		t.Helper()
		j.checkout("change")
		for _, name := range []string{"check.sh", "gitlab.sh"} {
			j.write("work/ci/"+name, string(read(t, "examples/pullrequest/"+name)))
		}
		var env []string
		for name, value := range p.Coverage.Variables {
			value = strings.ReplaceAll(value, "$CI_PROJECT_DIR", j.in("work"))
			value = strings.ReplaceAll(value, "$CI_MERGE_REQUEST_DIFF_BASE_SHA", j.git("origin", "rev-parse", "main"))
			env = append(env, name+"="+value)
		}
		return j.bash("pipeline", strings.Join(p.Coverage.Script, "\n"), env...)
	}
	out, err := run()
	if err == nil || !strings.Contains(out, made) || !strings.Contains(out, "FAIL  condition coverage of changed lines 50.0% (1 of 2), want 100%") {
		t.Errorf("a change that lacks a test: %v\n%s", err, out)
	}
	j.write("origin/half_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) { Discount(101) }\n")
	j.commit("test the other half")
	if out, err = run(); err != nil || !strings.Contains(out, "ok    condition coverage of changed lines 100% (2 of 2), want 100%") {
		t.Errorf("a change that has its tests: %v\n%s", err, out)
	}
	if got := j.api.written(); got != "create, update 1130" {
		t.Errorf("the API was asked to %s", got)
	}
	// GitLab takes the last match. A module of one package has no line "total".
	if !regexp.MustCompile(strings.Trim(p.Coverage.Coverage, "/")).MatchString(out) {
		t.Errorf("coverage: %s matches nothing in\n%s", p.Coverage.Coverage, out)
	}
	for _, name := range append(p.Coverage.Artifacts.Paths, p.Coverage.Artifacts.Reports.CoverageReport.Path) {
		if j.read("work/"+name) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	j.write("origin/fails_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fail() }\n")
	j.commit("a test that fails")
	if out, err = run(); err == nil || !strings.Contains(out, "ok    condition coverage of changed lines 100% (2 of 2), want 100%") {
		t.Errorf("a test that fails: %v\n%s", err, out)
	}
	if ours := j.api.ours(); len(ours) != 1 || !strings.Contains(ours[0].Body, "**Tests have failed.**") {
		t.Errorf("notes %v", ours)
	}
}
