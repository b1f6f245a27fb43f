package actions

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A runner runs the scripts of the action as GitHub does: each step in a shell of its own, in a checkout of the repository.
// Programs of its own are first in PATH: gh, and a go that installs nothing.
type runner struct {
	folder // has all that follows
	action *action
	inputs map[string]string
	env    []string
}

// user has git know who commits.
const user = "-c user.name=a -c user.email=a@example.com "

const module = `module example.com/shop

go 1.26
`

const program = `package main

func main() {
	sum := 0
	for i := range 1000 {
		sum += price(i)
	}
	println(sum)
}

func price(i int) int { return i ^ i>>2 }
`

// gh is there in place of GitHub's program. It writes down its arguments. To create a pull request fails if there is one.
const gh = `#!/bin/sh
printf '%s\n' "gh $*" >>"$GH_LOG"
test "$GH_TOKEN" = secret || exit 4
case "$2" in
create) if test -e "$GH_LOG.open"; then echo "already exists" >&2; exit 1; fi; : >"$GH_LOG.open" ;;
esac
`

// newRunner makes a repository with a program, a profile directory of it, and what the scripts are run with.
func newRunner(t *testing.T) *runner {
	t.Helper()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	r := &runner{folder: folder{t, t.TempDir()}, action: readAction(t, pgoAction)}
	r.inputs = map[string]string{
		"profiles": filepath.Join(r.dir, "prod") + "/*", "output": "cmd/shop/default.pgo", "source": "cmd/shop",
	}
	bin := r.in("bin")
	r.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GH_LOG="+r.in("gh.log"),
		"RUNNER_TEMP="+r.dir, "GITHUB_OUTPUT="+r.in("output"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=off")
	r.write("bin/gh", gh)
	if err := os.Symlink(goprofinstr, filepath.Join(bin, "goprofinstr")); err != nil {
		t.Fatal(err)
	}
	r.write("work/go.mod", module)
	r.write("work/cmd/shop/main.go", program)
	r.command(r.dir, "git", "init", "-q", "--bare", "-b", "main", "origin")
	for _, args := range []string{
		"init -q -b main", "add .", user + "commit -q -m first", "remote add origin ../origin", "push -q origin main",
	} {
		r.command(r.in("work"), "git", strings.Fields(args)...)
	}
	r.command(r.in("work"), goprofinstr, "wrap", "-mode", "exact", "go", "build", "-o", r.in("shop"), "./cmd/shop")
	r.record("a")
	return r
}

// record runs the program, for a profile directory.
func (r *runner) record(name string) {
	r.t.Helper()
	cmd := exec.Command(r.in("shop"))
	cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+r.in("prod/"+name))
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

func (r *runner) command(dir, name string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// checkout makes a new checkout of main, as each run of a workflow begins with.
func (r *runner) checkout() {
	r.t.Helper()
	if err := os.RemoveAll(r.in("work")); err != nil {
		r.t.Fatal(err)
	}
	r.command(r.dir, "git", "clone", "-q", "origin", "work")
}

// run runs all steps but the first, which installs goprofinstr, and returns what gh was called with, a line each, and the
// first error. Steps after an error are skipped.
func (r *runner) run() (calls []string, err error) {
	r.t.Helper()
	for _, name := range []string{"gh.log", "output"} {
		r.write(name, "")
	}
	r.checkout()
	for _, s := range r.action.Runs.Steps[1:] {
		if s.If != "" && !r.holds(s.If) {
			continue
		}
		if err = r.step(&s); err != nil {
			break
		}
	}
	log, readErr := os.ReadFile(r.in("gh.log"))
	if readErr != nil {
		r.t.Fatal(readErr)
	}
	for line := range strings.Lines(string(log)) {
		calls = append(calls, strings.TrimSpace(line))
	}
	return calls, err
}

// holds evaluates the one condition that there is.
func (r *runner) holds(condition string) bool {
	r.t.Helper()
	if condition != "steps.push.outputs.pushed == 'yes'" {
		r.t.Fatalf("this test does not know what %s is", condition)
	}
	output, err := os.ReadFile(r.in("output"))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(output) == "pushed=yes\n"
}

// step runs a script, with the flags that GitHub has for bash.
func (r *runner) step(s *step) error {
	r.t.Helper()
	script := r.in("script.sh")
	r.write("script.sh", s.Run)
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir, cmd.Env = r.in("work"), r.env
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.evaluate(value))
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	r.t.Logf("%s: %v\n%s", s.Name, err, out.String())
	return err
}

// evaluate puts the inputs in the place of expressions.
func (r *runner) evaluate(value string) string {
	r.t.Helper()
	return expression.ReplaceAllStringFunc(value, func(e string) string {
		name, ok := strings.CutPrefix(strings.TrimSpace(strings.Trim(e, "${}")), "inputs.")
		in, known := r.action.Inputs[name]
		if !ok || !known {
			r.t.Fatalf("no value for %s", e)
		}
		if name == "token" {
			return "secret"
		}
		if value, ok := r.inputs[name]; ok {
			return value
		}
		return in.Default
	})
}

// branch returns the commit of the branch that is pushed; "" if there is none.
func (r *runner) branch() string {
	r.t.Helper()
	return r.command(r.in("origin"), "git", "for-each-ref", "--format=%(objectname)", "refs/heads/goprofinstr-pgo")
}

// TestSyntax has the scripts, which bash must take.
func TestSyntax(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{pgoAction, checkAction} {
		for _, s := range readAction(t, name).Runs.Steps {
			cmd := exec.Command("bash", "-n")
			cmd.Stdin = strings.NewReader(s.Run)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", name, s.Name, err, out)
			}
		}
	}
}

// TestInstall has the first step, with a go that writes its arguments down.
func TestInstall(t *testing.T) {
	r := newRunner(t)
	r.write("bin/go", "#!/bin/sh\necho \"$*\" >\"$RUNNER_TEMP/go.log\"\n")
	if err := r.step(&r.action.Runs.Steps[0]); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(r.in("go.log"))
	if want := "install github.com/goprofinstr/goprofinstr/cmd/goprofinstr@latest\n"; err != nil || string(log) != want {
		t.Errorf("%q, %v, want %q", log, err, want)
	}
}

// TestRun follows a repository for some weeks.
func TestRun(t *testing.T) {
	r := newRunner(t)
	expect := func(when, want string, pushed bool) {
		t.Helper()
		before := r.branch()
		calls, err := r.run()
		if err != nil || len(calls) != strings.Count(want, "\n")+1 && want != "" {
			t.Fatalf("%s: %q, %v", when, calls, err)
		}
		for i, line := range strings.Split(want, "\n") {
			if want != "" && !strings.HasPrefix(calls[i], line) {
				t.Errorf("%s: %s, want %s…", when, calls[i], line)
			}
		}
		if (r.branch() != before) != pushed {
			t.Errorf("%s: the branch has moved from %q to %q", when, before, r.branch())
		}
	}
	const create = "gh pr create --head goprofinstr-pgo --title cmd/shop/default.pgo: follow production --body-file "
	expect("the first time", create, true)
	message := r.command(r.in("origin"), "git", "log", "-1", "--format=%an%n%B", "goprofinstr-pgo")
	if !strings.HasPrefix(message, "goprofinstr\ncmd/shop/default.pgo: follow production\n\ngoprofinstr: 1 build, 1 run") {
		t.Errorf("message of the commit: %s", message)
	}
	if files := r.command(r.in("origin"), "git", "diff", "--name-only", "main", "goprofinstr-pgo"); files != "cmd/shop/default.pgo" {
		t.Errorf("the commit is of %s", files)
	}

	r.record("b")
	expect("where the pull request is open", create+"\ngh pr edit goprofinstr-pgo --body-file ", true)

	r.command(r.in("work"), "git", "push", "-q", "origin", "goprofinstr-pgo:main")
	expect("where it is merged", "", false)
}

// TestRunFails has profiles of sources that are gone: the run fails, and nothing is pushed.
func TestRunFails(t *testing.T) {
	r := newRunner(t)
	r.checkout()
	r.write("work/cmd/shop/main.go", "package main\n\nfunc main() { println(1) }\n")
	r.command(r.in("work"), "git", strings.Fields(user+"commit -q -a -m second")...)
	r.command(r.in("work"), "git", "push", "-q", "origin", "main")
	calls, err := r.run()
	if err == nil || len(calls) > 0 || r.branch() != "" {
		t.Errorf("%q, %v; branch %q", calls, err, r.branch())
	}
	text, err := os.ReadFile(r.in("pgo.txt"))
	if err != nil || !strings.Contains(string(text), "goprofinstr: ") {
		t.Errorf("%q, %v", text, err)
	}
}
