package progress

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Building returns a function for Watch that tells what go commands which this process has started are building, and how much
// they have built: "compiling net/http (87 packages so far)". It knows that from processes, and so on Linux alone: to
// have the go command tell would change what is in its cache, or what it prints.
func Building() func() string {
	return func() string { return building(processes()) }
}

// A process is what the operating system tells of one.
type process struct {
	pid, parent int
	args        []string
}

// building tells what processes that this one has started do.
func building(all []process) string {
	doing := make(map[string][]string) // packages and programs
	folders := make(map[string]bool)   // temporary ones of go commands
	waiting := ""                      // for a go command that has not started a tool
	for _, p := range ours(all, os.Getpid()) {
		tool, of := p.tool()
		if tool == "" {
			waiting = cmp.Or(waiting, p.prepares())
			continue
		}
		doing[tool] = append(doing[tool], of)
		if m := action.FindStringSubmatch(strings.Join(p.args, " ")); m != nil {
			folders[m[1]] = true
		}
	}
	if len(doing) == 0 {
		return waiting
	}
	built := 0
	for dir := range folders {
		built += packagesIn(dir)
	}
	var said []string
	for _, tool := range slices.Sorted(maps.Keys(doing)) {
		slices.Sort(doing[tool])
		said = append(said, tool+" "+strings.Join(slices.Compact(doing[tool]), ", "))
	}
	text := strings.Join(said, ", ")
	if built > 0 {
		text += fmt.Sprintf(" (%s so far)", show.Plural(built, "package"))
	}
	return text
}

// action matches a file of an action of the go command.
var action = regexp.MustCompile(`(\S+[/\\]go-build\d+)[/\\]b\d+[/\\]`)

// packagesIn returns how many packages have been compiled into the temporary folder of a go command.
func packagesIn(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "b*", "_pkg_.a"))
	return len(names)
}

// tool tells what a tool of the Go toolchain does, and of which package; "" of other processes.
func (p process) tool() (does, of string) {
	if len(p.args) == 0 || !strings.Contains(filepath.ToSlash(p.args[0]), "/pkg/tool/") {
		return "", ""
	}
	value := func(flag string) string {
		if i := slices.Index(p.args, flag); i >= 0 && i+1 < len(p.args) {
			return p.args[i+1]
		}
		return ""
	}
	switch strings.TrimSuffix(filepath.Base(p.args[0]), ".exe") {
	case "compile", "asm":
		if of = value("-p"); of != "" {
			return "compiling", of
		}
	case "link":
		if of = value("-o"); of != "" {
			return "linking", filepath.Base(of)
		}
	}
	return "", ""
}

// prepares tells what a go command does that runs nothing of the user's; "" of other processes.
func (p process) prepares() string {
	if !p.startsTools() {
		return ""
	}
	return map[string]string{"list": "listing packages", "vet": "vetting packages"}[p.args[1]]
}

// ours returns the processes that a process has started, and that go commands among these have: not what tests start.
func ours(all []process, pid int) (found []process) {
	children := make(map[int][]process)
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	for pids := []int{pid}; len(pids) > 0; pids = pids[1:] {
		for _, p := range children[pids[0]] {
			found = append(found, p)
			if p.startsTools() {
				pids = append(pids, p.pid)
			}
		}
	}
	return found
}

// startsTools reports whether a process is a go command, or one that a go command runs tools with (-toolexec).
func (p process) startsTools() bool {
	return len(p.args) > 1 && (strings.TrimSuffix(filepath.Base(p.args[0]), ".exe") == "go" || p.args[1] == "toolexec")
}
