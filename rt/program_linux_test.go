//go:build amd64 || arm64 || riscv64

package rt_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
)

// A demo is testdata/demo, built as the tool builds programs.
type demo struct {
	exe string
	dir string // GOPROFINSTR_DIR; "" for unset
}

// buildDemo builds testdata/demo with this package laid over GOROOT.
func buildDemo(t *testing.T, goarch string, env []string, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	work := t.TempDir()
	goroot := goRoot(t, work)
	files, err := rt.Source(runtime.GOOS, goarch)
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		copied := filepath.Join(work, strings.ReplaceAll(name, "/", "-"))
		write(t, copied, text)
		overlay.Replace[filepath.Join(goroot, "src", name)] = copied
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(work, "overlay.json"), text)

	program := filepath.Join(work, "program")
	if err := os.Mkdir(program, 0o777); err != nil {
		t.Fatal(err)
	}
	main, err := os.ReadFile("testdata/demo/main.go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(program, "main.go"), main)
	write(t, filepath.Join(program, "go.mod"), []byte("module example.com/demo\n\ngo 1.26\n"))

	exe := filepath.Join(work, "demo")
	args := append([]string{"build", "-o", exe, "-overlay", filepath.Join(work, "overlay.json")}, flags...)
	cmd := exec.Command(filepath.Join(goroot, "bin", "go"), args...)
	cmd.Dir = program
	cmd.Env = append(append(os.Environ(), "GOROOT="+goroot, "GOWORK=off", "GOTOOLCHAIN=local", "GOARCH="+goarch), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// goRoot returns GOROOT, by another name if it is in the module cache (a
// toolchain chosen by GOTOOLCHAIN): the go command refuses overlays there.
func goRoot(t *testing.T, work string) string {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	goroot, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if !strings.HasPrefix(goroot, cache+string(filepath.Separator)) {
		return goroot
	}
	link := filepath.Join(work, "goroot")
	if err := os.Symlink(goroot, link); err != nil {
		t.Fatal(err)
	}
	return link
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// command returns the program with an environment of its own.
func (d demo) command(scenario string) *exec.Cmd {
	cmd := exec.Command(d.exe, scenario)
	cmd.Env = []string{"FIRST=1", "GOPROFINSTR_DIR_NOT=2", strings.Repeat("x", 10_000) + "=3"}
	if d.dir != "" {
		cmd.Env = append(cmd.Env, "GOPROFINSTR_DIR="+d.dir)
	}
	return cmd
}

// run runs a scenario and returns its stderr and exit code.
func (d demo) run(t *testing.T, scenario string) (stderr string, code int) {
	t.Helper()
	return finish(t, d.command(scenario))
}

func finish(t *testing.T, cmd *exec.Cmd) (stderr string, code int) {
	t.Helper()
	var b bytes.Buffer
	cmd.Stderr = &b
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return b.String(), cmd.ProcessState.ExitCode()
}

// checkRun checks what every scenario has counted, when nothing else has.
func checkRun(t *testing.T, d demo) {
	t.Helper()
	run := rttest.ReadDir(t, d.dir)
	if len(run.Packages) != 1 || run.Lost != 0 {
		t.Fatalf("%d packages, %d lost", len(run.Packages), run.Lost)
	}
	p := run.Packages[0]
	if p.Path != "example.com/demo" || string(p.Table) != "the path table" {
		t.Errorf("package %q with table %q", p.Path, p.Table)
	}
	if want := []uint64{1, 10, 1, 10}; !slices.Equal(p.Counters, want) {
		t.Errorf("counters %v, want %v", p.Counters, want)
	}
	want := []map[uint64]uint64{{5: 1}, {1 << 40: 1}}
	if !slices.EqualFunc(p.Hashes, want, maps.Equal) {
		t.Errorf("hashes %v, want %v", p.Hashes, want)
	}
}

func TestProgram(t *testing.T) {
	exe := buildDemo(t, runtime.GOARCH, []string{"CGO_ENABLED=0"})

	for _, test := range []struct {
		scenario string
		code     int
		stderr   string // how it begins
	}{
		{"return", 0, ""},
		{"exit", 3, ""},
		{"panic", 2, "panic: deliberate\n"},
		{"deadlock", 2, "fatal error: all goroutines are asleep - deadlock!\n"},
	} {
		t.Run(test.scenario, func(t *testing.T) {
			d := demo{exe, filepath.Join(t.TempDir(), "made")}
			stderr, code := d.run(t, test.scenario)
			if code != test.code || !strings.HasPrefix(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Errorf("exit code %d, stderr:\n%s", code, stderr)
			}
			checkRun(t, d)
			if args := rttest.ReadDir(t, d.dir).Args; !slices.Equal(args, []string{exe, test.scenario}) {
				t.Errorf("args %q", args)
			}
		})
		t.Run(test.scenario+" unset", func(t *testing.T) {
			const warning = "goprofinstr: warning: GOPROFINSTR_DIR not set, no path profile written\n"
			stderr, code := demo{exe: exe}.run(t, test.scenario)
			if code != test.code || !strings.HasPrefix(stderr, warning+test.stderr) || test.stderr == "" && stderr != warning {
				t.Errorf("exit code %d, stderr:\n%s", code, stderr)
			}
		})
	}

	t.Run("killed", func(t *testing.T) {
		d := demo{exe, t.TempDir()}
		cmd := d.command("block")
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line != "counted\n" {
			t.Errorf("%q, %v", line, err)
		}
		checkRun(t, d) // while it runs
		if !rttest.ReadDir(t, d.dir).Alive {
			t.Error("a living process has no lock on its run file")
		}
		checkDescriptor(t, cmd.Process.Pid)
		cmd.Process.Kill()
		cmd.Wait()
		checkRun(t, d)
		if rttest.ReadDir(t, d.dir).Alive {
			t.Error("the run file of a process that was killed is locked")
		}
	})

	t.Run("environment", func(t *testing.T) { checkEnvironment(t, exe) })

	t.Run("paths", func(t *testing.T) {
		d := demo{exe, t.TempDir()}
		if stderr := checkPaths(t, d); stderr != "allocations: 0\n" {
			t.Errorf("stderr: %s", stderr)
		}
	})

	t.Run("paths unset", func(t *testing.T) {
		if _, code := (demo{exe: exe}).run(t, "paths"); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})

	t.Run("threads", func(t *testing.T) { checkThreads(t, exe) })

	t.Run("descriptors closed", func(t *testing.T) {
		d := demo{exe, t.TempDir()}
		own := filepath.Join(t.TempDir(), "own")
		cmd := d.command("closed")
		cmd.Env = append(cmd.Env, "OWN="+own)
		stderr, code := finish(t, cmd)
		want := "goprofinstr: growing a hash table in " + d.dir + ": the program closed the run file: path profile incomplete\n"
		if code != 0 || strings.Count(stderr, "goprofinstr") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		if info, err := os.Stat(own); err != nil || info.Size() != 0 {
			t.Errorf("the program's own file: %v, %v", info, err)
		}
		run := rttest.ReadDir(t, d.dir)
		sum := run.Lost
		for _, n := range run.Packages[0].Hashes[0] {
			sum += n
		}
		if run.Lost == 0 || sum != 100_001 {
			t.Errorf("lost %d, counted and lost %d", run.Lost, sum)
		}
	})
}

// checkEnvironment checks what variables other than the directory's do.
func checkEnvironment(t *testing.T, exe string) {
	long := strings.Repeat("a", 1020)
	for _, test := range []struct {
		env                 []string
		service, attributes string
		args                int
	}{
		{nil, "", "", 2},
		{[]string{"OTEL_SERVICE_NAME=checkout", "OTEL_RESOURCE_ATTRIBUTES=host.name=h%201,team=x"}, "checkout", "host.name=h%201,team=x", 2},
		{[]string{"OTEL_RESOURCE_ATTRIBUTES=" + long}, "", long, 2},
		{[]string{"OTEL_SERVICE_NAME=checkout", "OTEL_RESOURCE_ATTRIBUTES=" + long}, "checkout", "", 2}, // too long together
		{[]string{"OTEL_SERVICE_NAME=" + long + long}, "", "", 2},
		{[]string{"GOPROFINSTR_ARGS=0"}, "", "", 0},
		{[]string{"GOPROFINSTR_ARGS=off"}, "", "", 0},
		{[]string{"GOPROFINSTR_ARGS=1"}, "", "", 2},
	} {
		d := demo{exe, t.TempDir()}
		cmd := d.command("return")
		cmd.Env = append(cmd.Env, test.env...)
		if stderr, code := finish(t, cmd); code != 0 || stderr != "" {
			t.Errorf("%.80s: exit code %d, stderr:\n%s", test.env, code, stderr)
		}
		checkRun(t, d)
		run := rttest.ReadDir(t, d.dir)
		if run.Service != test.service || run.Attributes != test.attributes || len(run.Args) != test.args {
			t.Errorf("%.80s: service %q, attributes %.80q, args %q", test.env, run.Service, run.Attributes, run.Args)
		}
		info, err := os.Stat(run.Name)
		if err != nil || info.Mode()&0o007 != 0 {
			t.Errorf("mode %v, %v: others may read it", info.Mode(), err)
		}
	}
}

// checkDescriptor checks that the run file is out of the program's way.
func checkDescriptor(t *testing.T, pid int) {
	t.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range open {
		fd, _ := strconv.Atoi(filepath.Base(name))
		if file, _ := os.Readlink(name); strings.HasSuffix(file, ".gpi") && fd >= 200 {
			return
		}
	}
	t.Errorf("no run file at 200 or above in %v", open)
}

func checkPaths(t *testing.T, d demo) (stderr string) {
	t.Helper()
	stderr, code := d.run(t, "paths")
	run := rttest.ReadDir(t, d.dir)
	h := run.Packages[0].Hashes[0]
	if code != 0 || len(h) != 100_000 || h[5] != 2 || h[99_999] != 1 || run.Lost != 0 {
		t.Errorf("exit code %d, %d paths, path 5: %d, path 99999: %d, lost: %d", code, len(h), h[5], h[99_999], run.Lost)
	}
	return stderr
}

func checkThreads(t *testing.T, exe string) {
	d := demo{exe, t.TempDir()}
	if stderr, code := d.run(t, "threads"); code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr:\n%s", code, stderr)
	}
	run := rttest.ReadDir(t, d.dir)
	if n := run.Packages[0].Counters[3]; n != 10+64*3000 {
		t.Errorf("counter 3: %d", n)
	}
	want := make(map[uint64]uint64)
	for p := range uint64(1000) {
		want[p] = 64 * 3
	}
	want[5]++
	if h := run.Packages[0].Hashes[0]; !maps.Equal(h, want) {
		t.Errorf("%d paths, counted otherwise than %d", len(h), len(want))
	}
	if run.Lost != 0 {
		t.Errorf("%d lost", run.Lost)
	}
}

// TestProgramTrouble runs the program where no run file can be made.
func TestProgramTrouble(t *testing.T) {
	exe := buildDemo(t, runtime.GOARCH, []string{"CGO_ENABLED=0"})
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)

	check := func(t *testing.T, cmd *exec.Cmd, line string) {
		t.Helper()
		if stderr, code := finish(t, cmd); code != 3 || stderr != line+"\n" {
			t.Errorf("exit code %d, stderr:\n%s\nwant:\n%s", code, stderr, line)
		}
	}
	t.Run("not a directory", func(t *testing.T) {
		check(t, demo{exe, file}.command("exit"),
			"goprofinstr: creating a run file in "+file+": not a directory: no path profile written")
	})
	t.Run("two levels missing", func(t *testing.T) {
		d := demo{exe, filepath.Join(t.TempDir(), "a", "b")}
		if stderr, code := d.run(t, "exit"); code != 3 || stderr != "" {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		checkRun(t, d)
	})
	t.Run("off", func(t *testing.T) {
		cmd := demo{exe, "off"}.command("exit")
		cmd.Dir = t.TempDir()
		if stderr, code := finish(t, cmd); code != 3 || stderr != "" {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		if names, _ := filepath.Glob(cmd.Dir + "/*"); len(names) != 0 {
			t.Errorf("written: %v", names)
		}
	})
	t.Run("unwritable", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		cmd := demo{exe, dir}.command("exit")
		if os.Getuid() == 0 { // root may write anywhere
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			for up := filepath.Dir(exe); up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
				os.Chmod(up, 0o755)
			}
		}
		check(t, cmd, "goprofinstr: creating a run file in "+dir+": permission denied: no path profile written")
	})
	// In blocks of 512 or 1024 bytes: nothing fits; the header page and a table
	// fit, the package does not.
	for _, blocks := range []string{"0", "18"} {
		t.Run("file size limit "+blocks, func(t *testing.T) {
			d := demo{exe, t.TempDir()}
			cmd := d.command("exit")
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `ulimit -f "$1"; exec "$0" exit`, exe, blocks}
			check(t, cmd, "goprofinstr: reserving space in "+d.dir+": file too large: no path profile written")
			if names, _ := filepath.Glob(d.dir + "/*"); len(names) != 0 {
				t.Errorf("left behind: %v", names)
			}
		})
	}
}

// mount mounts a file system for a test.
func mount(t *testing.T, fstype, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, fstype, 0, options); err != nil {
		t.Skipf("mounting %s: %v", fstype, err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestProgramDiskFull(t *testing.T) {
	exe := buildDemo(t, runtime.GOARCH, []string{"CGO_ENABLED=0"})
	t.Run("at start", func(t *testing.T) {
		dir := mount(t, "tmpfs", "size=8k")
		stderr, code := demo{exe, dir}.run(t, "exit")
		want := "goprofinstr: reserving space in " + dir + ": no space left on device: no path profile written\n"
		if code != 3 || stderr != want {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		if names, _ := filepath.Glob(dir + "/*"); len(names) != 0 {
			t.Errorf("left behind: %v", names)
		}
	})
	t.Run("at start, table first", func(t *testing.T) {
		dir := mount(t, "tmpfs", "size=4k")
		stderr, code := demo{exe, dir}.run(t, "exit")
		want := "goprofinstr: growing a hash table in " + dir + ": no space left on device: path profile incomplete\n"
		if code != 3 || stderr != want {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		if run := rttest.ReadDir(t, dir); run.Lost == 0 {
			t.Error("nothing lost")
		}
	})
	t.Run("later", func(t *testing.T) {
		dir := mount(t, "tmpfs", "size=512k")
		stderr, code := demo{exe, dir}.run(t, "paths")
		want := "goprofinstr: growing a hash table in " + dir + ": no space left on device: path profile incomplete\n"
		if code != 0 || strings.Count(stderr, "goprofinstr") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		run := rttest.ReadDir(t, dir)
		sum := run.Lost
		for _, n := range run.Packages[0].Hashes[0] {
			sum += n
		}
		if run.Lost == 0 || sum != 100_001 {
			t.Errorf("lost %d, counted and lost %d", run.Lost, sum)
		}
	})
	t.Run("no fallocate", func(t *testing.T) {
		d := demo{exe, mount(t, "ramfs", "")}
		if stderr, code := d.run(t, "exit"); code != 3 || stderr != "" {
			t.Errorf("exit code %d, stderr:\n%s", code, stderr)
		}
		checkRun(t, d)
	})
}

// TestProgramRace counts from 64 goroutines under the race detector. The race detector must say nothing of them and
// must not be kept from seeing the program's own races.
func TestProgramRace(t *testing.T) {
	if runtime.GOARCH == "riscv64" {
		t.Skip("no race detector")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the race detector needs cgo, cgo a C compiler")
	}
	exe := buildDemo(t, runtime.GOARCH, []string{"CGO_ENABLED=1"}, "-race")
	checkThreads(t, exe)
	d := demo{exe, t.TempDir()}
	if stderr, code := d.run(t, "race"); code != 66 || strings.Count(stderr, "WARNING: DATA RACE") != 1 {
		t.Errorf("a race of the program's own: exit code %d, stderr:\n%s", code, stderr)
	}
}

// TestProgramCheckptr has the compiler check our pointer arithmetic.
func TestProgramCheckptr(t *testing.T) {
	exe := buildDemo(t, runtime.GOARCH, []string{"CGO_ENABLED=0", "GOFLAGS=-gcflags=all=-d=checkptr"})
	d := demo{exe, t.TempDir()}
	if stderr, code := d.run(t, "return"); code != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr:\n%s", code, stderr)
	}
	checkRun(t, d)
	checkPaths(t, demo{exe, t.TempDir()})
	checkThreads(t, exe)
}

// TestProgramUnmapped runs runfile/store_other.go, which is for other systems, on the
// one of them that an amd64 machine can run: linux/386.
func TestProgramUnmapped(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs amd64")
	}
	exe := buildDemo(t, "386", []string{"CGO_ENABLED=0"})
	if err := exec.Command(exe, "return").Run(); err != nil {
		t.Skipf("this system runs no 386 programs: %v", err)
	}
	for scenario, code := range map[string]int{"return": 0, "exit": 3} {
		d := demo{exe, filepath.Join(t.TempDir(), "made")}
		if stderr, got := d.run(t, scenario); got != code || stderr != "" {
			t.Errorf("%s: exit code %d, stderr:\n%s", scenario, got, stderr)
		}
		checkRun(t, d)
	}
	checkPaths(t, demo{exe, t.TempDir()})
	checkThreads(t, exe)

	const warning = "goprofinstr: warning: GOPROFINSTR_DIR not set, no path profile written\n"
	if stderr, code := (demo{exe: exe}).run(t, "exit"); code != 3 || stderr != warning {
		t.Errorf("unset: exit code %d, stderr:\n%s", code, stderr)
	}
	d := demo{exe, filepath.Join(t.TempDir(), "a", "b")}
	if stderr, code := d.run(t, "exit"); code != 3 || stderr != "" {
		t.Errorf("two levels missing: exit code %d, stderr:\n%s", code, stderr)
	}
	checkRun(t, d)
	cmd := demo{exe, "relative"}.command("elsewhere")
	cmd.Dir = t.TempDir()
	if stderr, code := finish(t, cmd); code != 0 || stderr != "" {
		t.Errorf("a relative directory, and another one at exit: exit code %d, stderr:\n%s", code, stderr)
	}
	checkRun(t, demo{exe, filepath.Join(cmd.Dir, "relative")})
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	want := "goprofinstr: writing a run file in " + file + ": not a directory: no path profile written\n"
	if stderr, code := (demo{exe, file}).run(t, "exit"); code != 3 || stderr != want {
		t.Errorf("not a directory: exit code %d, stderr:\n%s", code, stderr)
	}
	d = demo{exe, t.TempDir()}
	want = "goprofinstr: growing a hash table in " + d.dir + ": too many paths in one function: path profile incomplete\n"
	if stderr, code := d.run(t, "full"); code != 0 || stderr != want {
		t.Errorf("too many paths: exit code %d, stderr:\n%s", code, stderr)
	}
	if run := rttest.ReadDir(t, d.dir); run.Lost == 0 {
		t.Error("too many paths: none is lost")
	}
}

// TestInlined asks the compiler whether what rewritten code calls can be inlined. It also asks what the call adds to the cost of
// the function that it is inlined into, of which there may be 80. Costs are those where no ticks are: that of Sample is 52 in
// programs.
func TestInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	for pkg, functions := range map[string]map[string]int{
		".": {
			"Inc": 8, "Add": 6, "Set": 6, "Word": 6, "Count": 6, "CountInc": 10, "CountPath": 63, "Again": 34, "AgainAtomic": 40, "CountPair": 65,
		},
		"./abandon": {"At": 6, "End": 6, "Keep": 4, "Hold": 17},
		"./exact":   {"Exact": 8},
		"./sampled": {
			"Pair": 6, "Sample": 45, "SampleMark": 49, "SamplePath": 54, "SamplePathMark": 57, "CountHash": 66,
			"Probe": 54, "ProbePath": 63,
		},
		"./strata": {"Counted": 6, "Hashed": 11, "Fold": 6, "CountEventPath": 65, "CountFeed": 63},
	} {
		out, err := exec.Command("go", "build", "-gcflags=-m=2", pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for name, most := range functions {
			_, rest, found := strings.Cut(string(out), ": can inline "+name+" with cost ")
			var cost int
			if _, err := fmt.Sscan(rest, &cost); !found || err != nil {
				t.Errorf("%s: %s is not inlined", pkg, name)
			} else if cost > most {
				t.Errorf("%s: %s costs %d, want no more than %d", pkg, name, cost, most)
			}
		}
	}
}
