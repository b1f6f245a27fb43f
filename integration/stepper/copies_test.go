package main

import "testing"

// TestCopies counts the same test as TestSteps in copies that are part of the program, in a burst that never ends. It has two
// threads at a time, a garbage collector that is always at work and preemption by signals. So stacks are unwound, scanned, grown
// and shrunk that have return addresses in copies.
func TestCopies(t *testing.T) {
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr}
	b, err := o.prepare(&pkg{path: "example.com/steps", dir: copied(t, "testdata/steps"), copies: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.always(c, []string{"-test.run=^Test$"}, "GOMAXPROCS=2", "GOGC=1", "GODEBUG=randautoseed=0")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	for _, d := range r.differ {
		t.Errorf("counts differ: %s", d)
	}
	if r.counted < 10 || r.seen < 5000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
}
