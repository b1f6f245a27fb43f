package actions

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// goprofinstr is the command under test, built once.
var goprofinstr string

func TestMain(m *testing.M) { os.Exit(tool.RunTests(&goprofinstr, m.Run)) }

// root is the folder of the repository, and the others are files in it.
const (
	root = "../.."

	pgoAction     = "examples/github/pgo/action.yml"
	pgoWorkflow   = "examples/github/pgo/workflow.yml"
	checkAction   = "action.yml"
	checkWorkflow = "examples/pullrequest/workflow.yml"
	// testWorkflow runs the suite of this repository.
	testWorkflow  = ".github/workflows/test.yml"
	checkPipeline = "examples/pullrequest/gitlab-ci.yml"
)

// An action is what a composite action may be, all of it: GitHub refuses other fields.
type action struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Author      string `yaml:"author"`
	Branding    struct {
		Icon  string `yaml:"icon"`
		Color string `yaml:"color"`
	} `yaml:"branding"`
	Inputs  map[string]input `yaml:"inputs"`
	Outputs map[string]struct {
		Description string `yaml:"description"`
		Value       string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string `yaml:"using"`
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

type input struct {
	Description string `yaml:"description"`
	Required    bool   `yaml:"required"`
	Default     string `yaml:"default"`
}

type step struct {
	Name            string            `yaml:"name,omitempty"`
	ID              string            `yaml:"id,omitempty"`
	If              string            `yaml:"if,omitempty"`
	Run             string            `yaml:"run,omitempty"`
	Shell           string            `yaml:"shell,omitempty"`
	Uses            string            `yaml:"uses,omitempty"`
	With            map[string]string `yaml:"with,omitempty"`
	Env             map[string]string `yaml:"env,omitempty"`
	Dir             string            `yaml:"working-directory,omitempty"`
	ContinueOnError bool              `yaml:"continue-on-error,omitempty"`
}

// decode decodes an action; a field that there is not is an error.
func decode(data []byte) (*action, error) {
	a := new(action)
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	return a, d.Decode(a)
}

// readAction reads an action.
func readAction(t *testing.T, name string) *action {
	t.Helper()
	a, err := decode(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// read reads a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
