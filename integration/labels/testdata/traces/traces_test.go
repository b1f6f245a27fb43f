package main

import "testing"

func TestLog(t *testing.T) {
	for i := range 3 {
		if i > 0 && i < 2 {
			t.Log("logged")
			helper(t, i)
		}
	}
	t.Run("sub", func(t *testing.T) {
		if t.Name() != "" {
			t.Error("failed", here())
		}
	})
}

func helper(t *testing.T, n int) {
	t.Helper()
	if n == 0 || n == 1 {
		t.Errorf("helped %d", n)
	}
}

func TestPanic(t *testing.T) {
	defer func() { t.Log(here()) }()
	t.Log(caught(func() { fail("index", 7, nil, nil, nil) }))
}
