package lab

import (
	"runtime"
	"testing"
	"time"
)

func TestLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	stop, err := Load(2)
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan bool)
	go func() {
		stop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(10 * time.Second):
		t.Error("the loops did not end")
	}
}
