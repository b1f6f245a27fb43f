package mergebase

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// local are the variables by which git tells its hooks in which repository they run, with which index. They would have a
// worktree be checked out into the index of the commit that a hook is about.
var local = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
}

// environ returns the environment without these variables.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(local, name)
	})
}

func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = environ()
	return cmd
}

// output returns what a git command prints when it is run. The error has what it says, on one line.
func output(cmd *exec.Cmd, run func() error) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		line := oneLine(stderr.String())
		if line == "" {
			line = failed.Error()
		}
		return "", fmt.Errorf("git: %s", line)
	}
	return strings.TrimSuffix(stdout.String(), "\n"), err
}
