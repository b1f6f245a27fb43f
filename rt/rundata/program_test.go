package rundata

import "testing"

func TestProgram(t *testing.T) {
	for name, want := range map[string]string{
		"program": "program", "/a b/program": "program", `C:\a b\program.exe`: "program.exe", `/a/b\c`: `b\c`, "": "",
	} {
		if got := Program([]string{name, "x/y"}); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := Program(nil); got != "" {
		t.Error(got)
	}
}
