package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestVersionOf: the version is that of this module, in whatever build. What is no version is refused.
func TestVersionOf(t *testing.T) {
	const own = module + "/tool"
	for _, test := range []struct {
		of        debug.Module
		want, err string
	}{
		{debug.Module{Path: own, Version: "v0.1.0"}, "v0.1.0", ""},
		{debug.Module{Path: own, Version: "v1.2.0-rc.1"}, "v1.2.0-rc.1", ""},
		{debug.Module{Path: own, Version: "v0.0.0-20261126101010-0123456789ab"}, "0123456789ab", ""},
		{debug.Module{Path: own, Version: "v0.1.1-0.20261126101010-0123456789ab"}, "0123456789ab", ""},
		{debug.Module{Path: own, Version: "(devel)"}, "", "of no version"},
		{debug.Module{Path: own, Version: "v0.1.0+dirty"}, "", "of no version"},
		{debug.Module{Path: own, Version: "v0.1.0", Replace: &debug.Module{Path: "../tool"}}, "", "of no version"},
		{debug.Module{Path: "example.com/other", Version: "v0.1.0"}, "", "was not built from"},
	} {
		for _, info := range []*debug.BuildInfo{{Main: test.of}, {Deps: []*debug.Module{&test.of}}} {
			got, err := versionOf(info)
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %q, %v", test.of, got, err)
			}
		}
	}
	if _, err := versionOf(nil); err == nil {
		t.Error("no build information is no error")
	}
}

// TestTrim has executables of several ages, of which one is used, and what builds have left.
func TestTrim(t *testing.T) {
	folder, now := t.TempDir(), time.Now()
	const day = 24 * time.Hour
	for name, age := range map[string]time.Duration{
		"goprofinstr_v1": 6 * day, "goprofinstr_v2": 6 * day, "goprofinstr_v3": 4 * day, "other": 6 * day,
		"new-1/bin": 0, "new-2/bin": 0,
	} {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o777); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(name, now.Add(-age), now.Add(-age))
	}
	os.Chtimes(filepath.Join(folder, "new-1"), now.Add(-6*day), now.Add(-6*day))
	use(filepath.Join(folder, "goprofinstr_v2"), now)
	trim(folder, now)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got, want := strings.Join(left, " "), "goprofinstr_v2 goprofinstr_v3 new-2 other"; got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
}
