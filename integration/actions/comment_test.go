package actions

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded environment is what a server starts a script with.
type recorded struct {
	t      *testing.T
	script string // its name in the repository
	api    *api
	env    []string
}

// recordedOf returns the environment of a pull request, or of a merge request, as the script is for.
func recordedOf(t *testing.T, script string) *recorded {
	t.Helper()
	for _, name := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	r := &recorded{t: t, script: script, api: newAPI(t)}
	event, err := filepath.Abs("testdata/pull_request.json")
	if err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "GITHUB_EVENT_PATH="+event, "GITHUB_API_URL="+r.api.URL, "GITHUB_REPOSITORY="+repository, "GITHUB_TOKEN="+token,
		"CI_API_V4_URL="+r.api.URL, "CI_PROJECT_ID=99", "CI_MERGE_REQUEST_PROJECT_ID="+project, "CI_MERGE_REQUEST_IID="+number,
		"GOPROFINSTR_TOKEN="+token, "MARK=")
	return r
}

// run runs the script with a text, and more variables.
func (r *recorded) run(text string, env ...string) (stdout, stderr string, err error) {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "text.md")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("bash", "-eu", filepath.Join(root, r.script), file)
	cmd.Env = append(r.env, env...)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err = cmd.Run()
	return out.String(), errors.String(), err
}

const (
	githubScript = "examples/pullrequest/github.sh"
	gitlabScript = "examples/pullrequest/gitlab.sh"
)

// TestComment follows a pull request and a merge request: there is one comment, which is created once and then updated.
func TestComment(t *testing.T) {
	for _, script := range []string{githubScript, gitlabScript} {
		r := recordedOf(t, script)
		write := func(text, want string, env ...string) {
			t.Helper()
			stdout, stderr, err := r.run(text, env...)
			if got := r.api.written(); err != nil || got != want || strings.Count(stdout, "\n") != 1 || stderr != "" {
				t.Errorf("%s: it did %q, want %q; %v\n%s%s", script, got, want, err, stdout, stderr)
			}
		}
		const hostile = "# \"first\" 'text' $(id) `id` \\n <b>\n| ✅ |\n"
		write(hostile, "create")
		write("second\n", "update 1130")
		write("third\n", "update 1130")
		write("of another job\n", "create", "MARK=other")
		write("of another job, again\n", "update 1131", "MARK=other")
		want := []string{"<!-- goprofinstr goprofinstr -->\nthird\n", "<!-- goprofinstr other -->\nof another job, again\n"}
		ours := r.api.ours()
		if len(ours) != 2 || ours[0].Body != want[0] || ours[1].Body != want[1] {
			t.Errorf("%s: %v, want %q", script, ours, want)
		}
		write(hostile, "update 1130")
		if body := r.api.ours()[0].Body; body != "<!-- goprofinstr goprofinstr -->\n"+hostile {
			t.Errorf("%s: %q", script, body)
		}
		write(strings.Repeat("é", 66000), "update 1130") // too long for GitHub
	}
}

// TestNoComment has runs that may not write, or have nothing to write to: a line says so, and they go on.
func TestNoComment(t *testing.T) {
	push, err := filepath.Abs("testdata/push.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		script, want string
		refuse       int
		env          []string
	}{
		{githubScript, "no comment: the token may not write to pull requests here (403), as in those from forks; the summary has it all\n", 403, nil},
		{githubScript, "no comment: the token may not write to pull requests here (401)", 0, []string{"GITHUB_TOKEN=wrong"}},
		{githubScript, "no comment: this run is of no pull request\n", 0, []string{"GITHUB_EVENT_PATH=" + push}},
		{gitlabScript, "no note: the token may not write to merge requests here (403); ", 403, nil},
		{gitlabScript, "no note: there is no GOPROFINSTR_TOKEN, as in merge requests from forks; ", 0, []string{"GOPROFINSTR_TOKEN="}},
		{gitlabScript, "no note: this pipeline is of no merge request\n", 0, []string{"CI_MERGE_REQUEST_IID="}},
	} {
		r := recordedOf(t, test.script)
		r.api.refuse = test.refuse
		stdout, stderr, err := r.run("text\n", test.env...)
		if err != nil || !strings.HasPrefix(stdout, test.want) || strings.Count(stdout, "\n") != 1 || stderr != "" {
			t.Errorf("%s, %q: %v\n%s%s", test.script, test.env, err, stdout, stderr)
		}
		if len(r.api.ours()) > 0 {
			t.Errorf("%s: there is a comment", test.script)
		}
		if strings.Contains(stdout, "METHOD") || strings.Contains(stdout, "POST") {
			t.Errorf("%s", stdout)
		}
	}
}

// TestCommentFails has a server that does not take the comment: a line on standard error, and another exit code than 0.
func TestCommentFails(t *testing.T) {
	for _, script := range []string{githubScript, gitlabScript} {
		r := recordedOf(t, script)
		r.api.refuse = 422
		stdout, stderr, err := r.run("text\n")
		if err == nil || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "status 422: Resource not accessible") {
			t.Errorf("%s: %v\n%s%s", script, err, stdout, stderr)
		}
	}
}
