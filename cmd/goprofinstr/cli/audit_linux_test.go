//go:build amd64 || arm64 || riscv64

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite"
	rtaudit "github.com/goprofinstr/goprofinstr/rt/audit"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestAuditTerminated has a go command end by a signal. What was timed before is kept. Nothing is, if
// nothing was.
func TestAuditTerminated(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	runs := t.TempDir()
	stop := runfile.StartIn(runs)
	a := new(rtaudit.Audit)
	rtaudit.RegisterAudit(a, "p.F\x00F\x00fB\x00", 2)
	var timing rtaudit.Timing
	timing.Begin(a)
	timing.Start()
	timing.Stop()
	timing.End()
	stop()
	for script, kept := range map[string]bool{
		"kill -TERM $$": false,
		"cp " + runs + "/* $" + profiledir.Var + " && kill -TERM $$": true,
	} {
		var f auditFlags
		f.table().Set("audit")
		if err := f.check(); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		r := &gorun.Run{Cmd: &gocmd.Command{Verb: "run"}, Toolchain: &toolchain.Toolchain{Go: sh},
			Progress: progress.New(os.Stderr), Stdout: os.Stdout, Stderr: os.Stderr}
		if err := r.Begin(out, false); err != nil {
			t.Fatal(err)
		}
		versions := []rewrite.Version{{Name: "F"}, {Name: "fB"}}
		target := &instrument.AuditTarget{Functions: []rewrite.AuditedFunction{{Name: "p.F", Versions: versions}}}
		exit, err := (&auditing{r, &f, time.Time{}}).runAndWatch([]string{"-c", script}, target)
		r.End()
		if exit != 1 || err == nil {
			t.Errorf("%s: exit code %d, %v", script, exit, err)
		}
		data, err := os.Open(filepath.Join(out, profiledir.Audit("json")))
		if (err == nil) != kept {
			t.Errorf("%s: %v", script, err)
		}
		if err != nil {
			continue
		}
		report, err := audit.ReadJSON(data)
		data.Close()
		if err != nil || len(report.Functions) != 1 || !anyCalled(report) {
			t.Errorf("%s: %+v, %v", script, report, err)
		}
	}
}
