package record

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// recorder is the file of package sampled of the runtime that records.
//
//go:embed recorder.go.txt
var recorder []byte

// beforeUse is where functions are registered that are to be counted. The recorder has all of them recorded instead.
const beforeUse = "func UseFunctions(f *Functions) U {\n\tw := &program\n\tif"

// WrapFlags are flags of wrap for programs that record: with portable probes and no contexts.
var WrapFlags = []string{"-mode=sampled", "-backend=portable", "-frames=0"}

// Build builds a goprofinstr into dir, whose programs can record, from the module in the current directory. An overlay changes
// the source that it has of package sampled.
func Build(dir string) (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/goprofinstr/goprofinstr/rt/sampled").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %v", err)
	}
	rt := strings.TrimSpace(string(out))
	probes, err := os.ReadFile(filepath.Join(rt, "probe_fault.go"))
	if err != nil {
		return "", err
	}
	_, rest, _ := bytes.Cut(probes, []byte("\n"))
	functions, err := os.ReadFile(filepath.Join(rt, "functions.go"))
	if err != nil {
		return "", err
	}
	if bytes.Count(functions, []byte(beforeUse)) != 1 {
		return "", fmt.Errorf("no %q in functions.go of the runtime, or several", beforeUse)
	}
	replace := make(map[string]string)
	for name, text := range map[string][]byte{
		"probe_fault.go": append([]byte("//go:build !goprofinstr_std\n"), rest...), // the tool has it still
		"probe_call.go":  recorder,
		"functions.go":   bytes.Replace(functions, []byte(beforeUse), []byte(beforeUse+" recorded(f) ||"), 1),
	} {
		file := filepath.Join(dir, name+".txt")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return "", err
		}
		replace[filepath.Join(rt, name)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o666); err != nil {
		return "", err
	}
	return tool.Build(dir, "-overlay="+name)
}
