package lab

import (
	"context"
	"os/exec"
	"sync"
)

// busy is a loop that takes all the CPU time it gets. It ends with the process that has started it, so that none is
// left behind if that one is killed.
const busy = "while kill -0 $PPID 2>/dev/null; do :; done"

// Load runs busy loops beside what is measured, each a process of its own, until stop is called.
func Load(loops int) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	stop = func() {
		cancel()
		wg.Wait()
	}
	for range loops {
		cmd := exec.CommandContext(ctx, "sh", "-c", busy)
		if err := cmd.Start(); err != nil {
			stop()
			return nil, err
		}
		wg.Go(func() { cmd.Wait() }) // it was killed, which is no error
	}
	return stop, nil
}
