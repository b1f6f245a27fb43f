package link

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTakesFaults has programs in C: those whose code may come to handle SIGSEGV are told from others.
func TestTakesFaults(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("programs with C code have no copies")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	const head = "#define _GNU_SOURCE\n#include <signal.h>\n#include <stddef.h>\n#include <dlfcn.h>\n" +
		"int x_cgo_sigaction(int n, struct sigaction *a, struct sigaction *old)" +
		"\t{ return sigaction(n, a, old) + sigaction(n, 0, old); }\n"
	const main = "int main(void) { return x_cgo_sigaction(1, 0, 0); }\n"
	libraries := map[string]string{
		"libtakes.so":   "#include <signal.h>\nint take(void) { return sigaction(SIGSEGV, 0, 0); }\n",
		"libcalm.so":    "int take(void) { return 0; }\n",
		"libthrough.so": "int more(void); int take(void) { return more(); }\n",
		"libmore.so":    "#include <dlfcn.h>\nint more(void) { return dlopen(\"libtakes.so\", RTLD_NOW) != 0; }\n",
		"libgone.so":    "int take(void) { return 0; }\n",
	}
	compile := func(name, source string, flags ...string) string {
		t.Helper()
		file, out := filepath.Join(dir, name+".c"), filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-g", "-o", out, file, "-L" + dir}, flags...)
		if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc %v: %v\n%s", args, err, text)
		}
		return out
	}
	for _, name := range []string{"libtakes.so", "libcalm.so", "libmore.so", "libgone.so", "libthrough.so"} {
		flags := []string{"-shared", "-fPIC"}
		if name == "libthrough.so" {
			flags = append(flags, "-Wl,-rpath,"+dir, "-l:libmore.so")
		}
		compile(name, libraries[name], flags...)
	}
	const taken = "int take(void); int main(void) { return x_cgo_sigaction(1, 0, 0) + take(); }\n"
	for _, test := range []struct {
		name, source, flags, want string
	}{
		{"none", main, "", ""},
		{"none, statically", "int main(void) { return 0; }\n", "-nostdlib -static -Wl,-e,main", ""},
		{"far", "int take(void) { return sigaction(SIGSEGV, 0, 0); }\n" + main, "", "its C code refers to sigaction,"},
		{"through a pointer", "int (*volatile f)() = sigaction;\n" + main, "", "its C code refers to sigaction,"},
		{"through a table", "int (*volatile f)() = sigaction;\n" + main, "-fPIC", "its C code refers to sigaction,"},
		{"by its address", "int take(int (*volatile f)()) { return f != sigaction; }\n" + main, "-fPIC",
			"its C code refers to sigaction,"},
		{"no table of jumps", "int take(void) { return sigaction(SIGSEGV, 0, 0); }\n" + main, "-fno-plt",
			"its C code refers to sigaction,"},
		{"no table of jumps, none", main, "-fno-plt", ""},
		{"branches", "int take(void) { return sigaction(SIGSEGV, 0, 0); }\n" + main, "-O2 -fcf-protection=branch",
			"its C code refers to sigaction,"},
		{"branches, none", main, "-O2 -fcf-protection=branch -Wl,-z,now", ""},
		{"other", "int take(void) { return signal(SIGPIPE, SIG_IGN) != 0; }\n" + main, "", "its C code refers to signal,"},
		{"loads", "void *take(void) { return dlopen(\"a\", RTLD_NOW); }\n" + main, "", "its C code refers to dlopen,"},
		{"statically", main, "-static", "its C code refers to "},
		{"library", taken, "-l:libtakes.so", "its library libtakes.so refers to sigaction,"},
		{"calm library", taken, "-l:libcalm.so", ""},
		{"library's library", taken, "-l:libthrough.so", "its library libmore.so refers to dlopen,"},
		{"library that is gone", taken, "-l:libgone.so", "its library libgone.so is not found,"},
	} {
		t.Run(test.name, func(t *testing.T) {
			flags := append([]string{"-no-pie", "-Wl,-rpath," + dir}, strings.Fields(test.flags)...)
			source := head + test.source
			if strings.Contains(test.flags, "-nostdlib") {
				source = test.source
			}
			program := compile("program", source, flags...)
			if strings.Contains(test.name, "gone") {
				if err := os.Remove(filepath.Join(dir, "libgone.so")); err != nil {
					t.Fatal(err)
				}
			}
			f, err := elf.Open(program)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got := ""
			if err := takesFaults(f); err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
