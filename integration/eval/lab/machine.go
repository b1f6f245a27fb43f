package lab

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// ThisMachine describes the machine that this program runs on.
func ThisMachine() result.Machine {
	return result.Machine{
		CPU:    field("/proc/cpuinfo", "model name", ":"),
		Cores:  runtime.NumCPU(),
		OS:     field("/etc/os-release", "PRETTY_NAME", "="),
		Kernel: firstLine("/proc/sys/kernel/osrelease"),
		Go:     output("go", "version"),
		Commit: commit(),
		Date:   time.Now().UTC().Truncate(time.Second),
		Load:   LoadAverage(),
	}
}

// LoadAverage returns how many processes wanted a processor in the last 1, 5 and 15 minutes.
func LoadAverage() string {
	return strings.Join(strings.Fields(firstLine("/proc/loadavg") + " - - -")[:3], " ")
}

const unknown = "unknown"

// field returns the value of the first line "name separator value" of a file.
func field(file, name, separator string) string {
	f, err := os.Open(file)
	if err != nil {
		return unknown
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), separator)
		if ok && strings.TrimSpace(key) == name {
			return strings.Trim(value, " \t\"")
		}
	}
	return unknown
}

func firstLine(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return unknown
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

func output(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return unknown
	}
	return strings.TrimSpace(string(out))
}

func commit() string {
	c := output("git", "rev-parse", "--short=12", "HEAD")
	if c != unknown && output("git", "status", "--porcelain", "--untracked-files=no") != "" {
		c += " with changes"
	}
	return c
}
