package actions

import (
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"gopkg.in/yaml.v3"
)

// lint returns what actionlint finds in a workflow of this repository, a line each.
func lint(t *testing.T, name string, workflow []byte) (found []string) {
	t.Helper()
	l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(top)
	if err != nil {
		t.Fatal(err)
	}
	mistakes, err := l.Lint(name, workflow, project)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mistakes {
		found = append(found, m.Error())
	}
	return found
}

// TestWorkflow has the workflows, with the inputs that they give the actions.
func TestWorkflow(t *testing.T) {
	for name, mistakes := range map[string][][2]string{
		pgoWorkflow:   {{"source:", "sources:"}, {"profiles: prod/*, ", ""}, {"schedule:", "scheduled:"}, {"5 * * 1", "5 * * 9"}},
		checkWorkflow: {{"check:", "checks:"}, {"pull_request:", "pull_requests:"}, {"fetch-depth", "fetchdepth"}, {"pull-requests: write", "pull-requests: some"}},
		testWorkflow:  {{"runs-on:", "runs:"}, {"matrix.os", "matrix.system"}, {"windows-latest", "windows-lately"}},
	} {
		text := read(t, name)
		for _, mistake := range lint(t, name, text) {
			t.Error(mistake)
		}
		// Would it be found?
		for _, mistake := range mistakes {
			if len(lint(t, name, []byte(strings.Replace(string(text), mistake[0], mistake[1], 1)))) == 0 {
				t.Errorf("%s: with %q for %q it finds nothing", name, mistake[1], mistake[0])
			}
		}
	}
}

// asWorkflow returns a workflow whose one job has the steps of an action, with the same inputs: actionlint does not look into
// actions.
func asWorkflow(t *testing.T, a *action) []byte {
	t.Helper()
	inputs := make(map[string]map[string]any)
	for name, in := range a.Inputs {
		inputs[name] = map[string]any{"type": "string", "description": in.Description, "required": in.Required}
	}
	job := map[string]any{"runs-on": "ubuntu-latest", "steps": a.Runs.Steps}
	outputs := make(map[string]string)
	for name, out := range a.Outputs {
		outputs[name] = out.Value
	}
	if len(outputs) > 0 {
		job["outputs"] = outputs
	}
	data, err := yaml.Marshal(map[string]any{
		"on":   map[string]any{"workflow_call": map[string]any{"inputs": inputs}},
		"jobs": map[string]any{"action": job},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAction has the actions: their fields, their expressions, and what composite actions have otherwise than workflows.
func TestAction(t *testing.T) {
	for _, name := range []string{pgoAction, checkAction} {
		for _, mistake := range mistakes(t, read(t, name)) {
			t.Errorf("%s: %s", name, mistake)
		}
	}
}

// TestActionMistakes has actions with a mistake each.
func TestActionMistakes(t *testing.T) {
	for name, replaced := range map[string][][2]string{
		pgoAction: {
			{"inputs.output", "inputs.ouput"},
			{"steps.push.outputs", "steps.pushed.outputs"},
			{"id: push", "id: pushed"},
			{"shell: bash", "timeout-minutes: 3"},
			{"      shell: bash\n", ""},
			{"using: composite", "using: composit"},
			{"github.token", "inputs.profiles"},
			{"== 'yes'", "== yes"},
			{"${{ inputs.source }}", "${{ inputs.source }"},
		},
		checkAction: {
			{"value: ${{ steps.check.", "value: ${{ steps.checks."},
			{"id: folders", "id: folder"},
			{"inputs.working-directory", "inputs.directory"},
			{"restore-keys", "restore-key"},
			{"branding", "brand"},
		},
	} {
		text := string(read(t, name))
		for _, r := range replaced {
			changed := strings.Replace(text, r[0], r[1], 1)
			if changed == text {
				t.Errorf("%s does not have %q", name, r[0])
			}
			if len(mistakes(t, []byte(changed))) == 0 {
				t.Errorf("%s: with %q for %q it finds nothing", name, r[1], r[0])
			}
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// mistakes returns what is wrong with an action.
func mistakes(t *testing.T, text []byte) (found []string) {
	t.Helper()
	a, err := decode(text)
	if err != nil {
		return []string{err.Error()}
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		found = append(found, "want a name, a description, and steps of a composite action")
	}
	for name, in := range a.Inputs {
		if in.Description == "" || in.Required && in.Default != "" {
			found = append(found, name+": want a description, and no default of what is required")
		}
		for _, e := range expression.FindAllStringSubmatch(in.Default, -1) {
			if !slices.Contains([]string{"github.token", "github.workspace"}, strings.TrimSpace(e[1])) {
				found = append(found, name+": there is no "+e[1]+" for inputs")
			}
		}
		if strings.Count(in.Default, "${{") != len(expression.FindAllString(in.Default, -1)) {
			found = append(found, name+": an expression without end")
		}
	}
	for _, s := range a.Runs.Steps {
		if s.Name == "" || (s.Run == "") != (s.Shell == "") || (s.Run == "") == (s.Uses == "") {
			found = append(found, s.Name+": want a name, and uses, or run with shell")
		}
		if strings.Contains(s.Run, "${{") {
			found = append(found, s.Name+": an expression in a script, where inputs would be code")
		}
	}
	return append(found, lint(t, "action.yml", asWorkflow(t, a))...)
}
