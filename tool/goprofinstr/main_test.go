package main

import (
	"runtime/debug"
	"strings"
	"testing"
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
