package ssacfg

import (
	"strings"
	"testing"
)

// TestIterators finds the blocks that an iterator runs before, and may panic: "// runs" is on their lines.
func TestIterators(t *testing.T) {
	const src = `package p

func header(seq func(func(int) bool)) (n int) {
	for i := range seq { // runs
		if i > 1 {
			continue
		}
		n++
	}
	return n
}

func notAFunction(m map[int]int) (n int) {
	for i := range m {
		if i > 1 {
			continue
		}
		n++
	}
	return n
}

func breaks(seq func(func(int) bool)) (n int) {
	for i := range seq { // runs
		if i > 1 {
			break
		}
		n++
	}
	return n // runs
}

func returns(seq func(func(int) bool)) (n int) {
	for i := range seq { // runs
		if i > 1 {
			return i
		}
		n++
	}
	return n
}

func inner(seq func(func(int) bool)) (n int) {
	for i := range seq { // runs
		switch {
		case i > 5:
			break
		case i > 4:
			goto end
		}
		for range n {
			if n > 1 {
				break
			}
			n++
		}
		func() {
			for range n {
				break
			}
		}()
	end:
		n++
	}
	return n
}

func labels(seq func(func(int) bool)) (n int) {
outer:
	for n < 10 { // runs
		n++
		for i := range seq { // runs
			if i > 3 {
				continue outer
			}
			if i > 2 {
				break outer
			}
			if i > 1 {
				goto end
			}
			n++
		}
		n++
	}
	n++ // runs
end:
	return n // runs
}

func nested(seq func(func(int) bool)) (n int) {
outer:
	for i := range seq { // runs
		n++
		for j := range seq { // runs
			if i > j {
				continue outer
			}
			if i > n {
				continue
			}
			n++
		}
		n++
	}
	return n
}

func once(seq func(func(int) bool)) (n int) {
	for i := range seq { // without a loop its header is part of the block before
		n = i
		break
	}
	return n // runs
}
`
	runs := make(map[int]bool) // by line
	for _, fn := range analyzeSource(t, src) {
		for _, b := range fn.Graph.Blocks {
			if len(b.RiskFirst) > 0 {
				runs[1+strings.Count(src[:b.From-1], "\n")] = true
			}
		}
	}
	for i, text := range strings.Split(src, "\n") {
		if want := strings.HasSuffix(text, "// runs"); runs[i+1] != want {
			t.Errorf("line %d, %q: an iterator runs before that: %v, want %v", i+1, text, runs[i+1], want)
		}
	}
}
