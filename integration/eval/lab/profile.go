package lab

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Profile runs the binary of a mode, with a number of iterations, and returns what it has counted.
func (b *Bench) Profile(mode string, n int) (*profile.Profile, time.Duration, error) {
	if err := b.Failed[mode]; err != nil {
		return nil, 0, err
	}
	ran, err := b.start(nil, b.Binaries[mode], strconv.Itoa(n)+"x", b.RunDir)
	if err != nil {
		return nil, 0, err
	}
	// Not for the time, but for whether one benchmark was run.
	if _, err := ParseTime(ran.stdout); err != nil {
		return nil, 0, err
	}
	p, err := profile.Load(b.RunDir)
	return p, ran.cpu, err
}

// Iterations returns how many iterations of the plain benchmark take at least some CPU time. What is done
// once, before them, is not in it. All modes run as many, so that all do the same.
func (b *Bench) Iterations(cpu time.Duration) (int, error) {
	once, err := b.plainTime(1) // testing runs one iteration, before others, in any case
	if err != nil {
		return 0, err
	}
	for n := 10; n < math.MaxInt32; {
		t, err := b.plainTime(n)
		if err != nil {
			return 0, err
		}
		t -= once
		if t >= cpu {
			return n, nil
		}
		// A fifth more than it should take, since short runs tell little of long ones. But not much more than the
		// last, which may have been too short for the clock.
		n = int(float64(n)*min(100, 1.2*cpu.Seconds()/max(0, t.Seconds()))) + 1
	}
	return 0, errors.New("its iterations take no time")
}

// plainTime returns the CPU time of a plain run of n iterations.
func (b *Bench) plainTime(n int) (time.Duration, error) {
	if err := b.Failed[Plain]; err != nil {
		return 0, err
	}
	ran, err := b.start(nil, b.Binaries[Plain], strconv.Itoa(n)+"x", b.RunDir)
	if err != nil {
		return 0, err
	}
	// Not for the time, but for whether one benchmark was run.
	_, err = ParseTime(ran.stdout)
	return ran.cpu, err
}
