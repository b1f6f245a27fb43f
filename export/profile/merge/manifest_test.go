package merge

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestLineSums: merged runs know the lines of files that are the same in all of them, in whatever order and groups they come. An
// earlier goprofinstr has written sums of sources, too.
func TestLineSums(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		sums := func(files map[string]string) *profiledir.Manifest {
			m := &profiledir.Manifest{Sources: make(map[string]string), LineSums: make(map[string][]byte)}
			for name, src := range files {
				if m.LineSums[name] = profiledir.LineSums(src); earlier {
					m.Sources[name] = src
				}
			}
			return m
		}
		old := sums(map[string]string{"same.go": "same"})
		old.LineSums = nil // of a goprofinstr that did not know them
		list := []*profiledir.Manifest{
			sums(map[string]string{"same.go": "same", "other.go": "1"}),
			old,
			sums(map[string]string{"same.go": "same", "other.go": "2"}),
			sums(map[string]string{"other.go": "1", "more.go": "more"}),
		}
		for _, groups := range [][][]int{{{0, 1, 2, 3}}, {{3, 2, 1, 0}}, {{1, 3, 0, 2}}, {{0, 2}, {1, 3}}, {{3, 1}, {0, 2}}} {
			var all merger
			for _, group := range groups {
				var m merger
				for _, i := range group {
					m.addManifest(list[i])
				}
				all.addManifest(&m.manifest)
			}
			got := all.manifest.LineSums
			if len(got) != 2 || string(got["same.go"]) != string(profiledir.LineSums("same")) || got["more.go"] == nil {
				t.Errorf("sums of sources %t, %v: %q", earlier, groups, got)
			}
		}
	}
}

// TestAudit merges a profile and an audit: the error has the name that users have given.
func TestAudit(t *testing.T) {
	d := &profiledir.Dir{Path: t.TempDir()}
	if err := d.Start(profiledir.Manifest{Mode: profiledir.AuditMode}, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	for title, source := range map[string]Source{d.Path: {Dir: d.Path}, "shown": {Dir: d.Path, Title: "shown"}} {
		want := title + " is an audit, and not a profile; leave it out"
		_, err := Sources(&profiledir.Dir{Path: t.TempDir()}, []Source{source})
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
