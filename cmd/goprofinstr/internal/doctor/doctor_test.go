package doctor

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// TestCache has a file where the folder of the cache should be. Wrap works all the same.
func TestCache(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, name)
	}
	if f := cache(); f.State != No || f.Needed {
		t.Errorf("%+v", f)
	}
}

// TestToolchain has go commands that are of no use, of which another would be only sometimes.
func TestToolchain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a script in the place of the go command")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	const file = "file" // where the folder of the cache should be
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME"} {
		t.Setenv(variable, filepath.Join(dir, file))
	}
	if err := os.WriteFile(filepath.Join(dir, file), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	const install = "; install Go "
	for _, test := range []struct {
		script, want string
		install      bool
	}{
		{"", "executable file not found", true},
		{`echo '{"GOVERSION":"go1.20"}'`, "go is go1.20; goprofinstr needs ", true},
		{`echo "go: no such directory" >&2; exit 1`, "no such directory", false},
		{`echo '{"GOVERSION":"go1.27.0","GOMODCACHE":"/m","GOROOT":"/m/toolchain"}'`,
			": go1.27.0 is in the module cache and needs a link in the user's cache folder; set ", false},
	} {
		if test.script != "" {
			if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+test.script+"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		_, f := findToolchain()
		if f.State != No || !strings.Contains(f.Text, test.want) || strings.Contains(f.Text, install) != test.install {
			t.Errorf("%s: %+v", test.script, f)
		}
	}
}

// TestInterrupted has a signal come while the program is built. It is passed on, and nothing is left behind.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	dir := t.TempDir()
	self, temp := filepath.Join(dir, "self"), filepath.Join(dir, "temp")
	script := "#!/bin/sh\ntrap 'exit 1' TERM\nkill -TERM $PPID\nwhile :; do sleep 0.01; done\n"
	if err := errors.Join(os.WriteFile(self, []byte(script), 0o777), os.Mkdir(temp, 0o777)); err != nil {
		t.Fatal(err)
	}
	tc, err := toolchain.Find(&gocmd.Command{Go: "go", Verb: "run"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	found := try(Options{Self: self}, tc.HooksByText(nil, true), true)
	if len(found) != 1 || found[0].State != No || found[0].Text != "interrupted" {
		t.Errorf("found %+v", found)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestInterruptedHooks has a signal come while hooks are compiled for a release that nobody knows.
func TestInterruptedHooks(t *testing.T) {
	path, err := exec.LookPath("go")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no go command, or no signals")
	}
	bin, temp := t.TempDir(), t.TempDir()
	script := `#!/bin/sh
case $1 in
env) "` + path + `" "$@" | sed 's/"GOVERSION": "[^"]*"/"GOVERSION": "go1.99.0"/' ;;
*) trap 'exit 1' INT; kill -TERM $PPID; while :; do sleep 0.01; done ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", temp)
	var last Finding
	Examine(Options{Self: "none"}, func(f Finding) { last = f })
	if last.Name != "runtime hooks" || last.Text != "interrupted" || last.State != No {
		t.Errorf("found %+v at last", last)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestInterruptedEnv has a signal come while the go command says which toolchain it uses. Nothing has to be removed then, so the
// signal does what it does by itself: here that is for the test.
func TestInterruptedEnv(t *testing.T) {
	path, err := exec.LookPath("go")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no go command, or no signals")
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	defer signal.Stop(signals)
	bin, came := t.TempDir(), filepath.Join(t.TempDir(), "came")
	script := `#!/bin/sh
[ -e "` + came + `" ] || kill -TERM $PPID
until [ -e "` + came + `" ]; do sleep 0.01; done
exec "` + path + `" "$@"
`
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	go func() {
		<-signals
		if err := os.WriteFile(came, nil, 0o666); err != nil {
			t.Error(err)
		}
	}()
	Examine(Options{Self: "none", Quick: true}, func(f Finding) {
		if f.Text == "interrupted" {
			t.Errorf("%s: doctor has heeded the signal", f.Name)
		}
	})
}

// TestEnviron has flags that go env -w has set, which are not for the program.
func TestEnviron(t *testing.T) {
	name := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(name, []byte("GOFLAGS=-mod=vendor\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", name)
	t.Setenv("GOFLAGS", "")
	cmd := exec.Command("go", "env", "GOFLAGS")
	if out, err := cmd.Output(); err != nil || string(out) != "-mod=vendor\n" {
		t.Fatalf("the user's flags are %q, %v", out, err)
	}
	cmd = exec.Command("go", "env", "GOFLAGS")
	cmd.Env = environ()
	if out, err := cmd.Output(); err != nil || string(out) != "-buildvcs=auto\n" {
		t.Errorf("flags %q, %v", out, err)
	}
}
