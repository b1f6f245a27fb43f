package lab

import (
	"os/exec"
	"testing"
	"time"
)

// TestOthers has this process work, and then one that it waits for, and one that it has not waited for yet: that is another's.
func TestOthers(t *testing.T) {
	began := UsedCPU()
	if !began.known {
		t.Skip("no /proc")
	}
	work := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		return cmd
	}
	const loop = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
	work("sh", "-c", loop).Wait()
	waited := UsedCPU()
	if used := waited.own - began.own; used <= 0 {
		t.Errorf("%v s are this process's", used)
	}
	cmd := work("sh", "-c", "while :; do :; done")
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if others := waited.Others(); others != nil && *others > 0 {
			return
		}
	}
	t.Error("nobody else has used a processor")
}
