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

// TestWorkflow has the workflow, with the inputs that it gives the action.
func TestWorkflow(t *testing.T) {
	text := read(t, "workflow.yml")
	for _, mistake := range lint(t, "workflow.yml", text) {
		t.Error(mistake)
	}
	// Would it be found?
	for _, mistake := range [][2]string{
		{"source:", "sources:"}, {"profiles: prod/*, ", ""}, {"schedule:", "scheduled:"}, {"5 * * 1", "5 * * 9"},
	} {
		if len(lint(t, "workflow.yml", []byte(strings.Replace(string(text), mistake[0], mistake[1], 1)))) == 0 {
			t.Errorf("with %q for %q it finds nothing", mistake[1], mistake[0])
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
	data, err := yaml.Marshal(map[string]any{
		"on":   map[string]any{"workflow_call": map[string]any{"inputs": inputs}},
		"jobs": map[string]any{"action": map[string]any{"runs-on": "ubuntu-latest", "steps": a.Runs.Steps}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAction has the action: its fields, its expressions, and what composite actions have otherwise than workflows.
func TestAction(t *testing.T) {
	for _, mistake := range mistakes(t, read(t, "action.yml")) {
		t.Error(mistake)
	}
}

// TestActionMistakes has actions with a mistake each.
func TestActionMistakes(t *testing.T) {
	text := string(read(t, "action.yml"))
	for _, replaced := range [][2]string{
		{"inputs.output", "inputs.ouput"},
		{"steps.push.outputs", "steps.pushed.outputs"},
		{"id: push", "id: pushed"},
		{"shell: bash", "timeout-minutes: 3"},
		{"      shell: bash\n", ""},
		{"using: composite", "using: composit"},
		{"github.token", "inputs.profiles"},
		{"== 'yes'", "== yes"},
		{"${{ inputs.source }}", "${{ inputs.source }"},
	} {
		changed := strings.Replace(text, replaced[0], replaced[1], 1)
		if changed == text {
			t.Errorf("the action does not have %q", replaced[0])
		}
		if len(mistakes(t, []byte(changed))) == 0 {
			t.Errorf("with %q for %q it finds nothing", replaced[1], replaced[0])
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
