// Package p has ten statements, on which every way of counting is shown.
package p

type truth bool

func ifStmt(a int) int {
	if a < 0 {
		return -a
	}
	return a
}

func forStmt(list []int, at func(int) int) (n int) {
	for i, x := range list {
		if x > i {
			n += at(list[n])
		}
	}
	return n
}

func condition(a, b, c bool, n int) int {
	if a && b || c {
		n++
	}
	for i := 0; i < n && (a || b); i++ {
		n--
	}
	return n
}

func expression(a, b, c truth) truth {
	for a && again(a) || b {
		a = !a
	}
	return a && b || c
}

func again(a truth) truth {
	for range 3 {
		a = !a
	}
	return a
}

func switchStmt(v any, n int) string {
	defer func() { _ = recover() }()
	switch v := v.(type) {
	case string:
		return v[n:]
	case error, nil:
		panic(v)
	}
	switch {
	case n > 2, n < -2:
		n++
		fallthrough
	default:
		n--
	}
	return string(rune(n))
}

func selectStmt(c <-chan int, done chan struct{}) int {
	for {
		select {
		case n := <-c:
			if n > 0 {
				return n
			}
		case <-done:
			return 0
		}
	}
}

func rangeFunc(seq func(func(int) bool), limit int) (n int) {
	for x := range seq {
		if x > limit {
			break
		}
		n += x
	}
	return n
}

func event(i interface{ M(int) int }, f func(int) int, n int) int {
	for n > 0 && f(n) > 0 {
		n -= i.M(n) //goprofinstr:value
	}
	if again(n > 1) {
		go f(n)
	}
	return i.M(f(n))
}

// manyPaths has more paths than an array has counters.
func manyPaths(a, b, c truth, f func(truth) truth) (t [12]truth) {
	for i := range t {
		t[0] = a && f(b) || c
		t[1] = a && f(b) || c
		t[2] = a && f(b) || c
		t[3] = a && f(b) || c
		t[4] = a && f(b) || c
		t[5] = a && f(b) || c
		if t[i] {
			continue
		}
		t[6] = a && f(b) || c
		t[7] = a && f(b) || c
		t[8] = a && f(b) || c
		t[9] = a && f(b) || c
		t[10] = a && f(b) || c
		t[11] = a && f(b) || c
	}
	for a && f(b) || b {
		a = !a
	}
	return t
}

// mostPaths has more than 2^32 paths.
func mostPaths(a, b, c truth) (t [21]truth) {
	t = [21]truth{
		a && b || c, a && b || c, a && b || c, a && b || c, a && b || c, a && b || c, a && b || c,
		a && b || c, a && b || c, a && b || c, a && b || c, a && b || c, a && b || c, a && b || c,
		a && b || c, a && b || c, a && b || c, a && b || c, a && b || c, a && b || c, a && b || c,
	}
	if t[3] {
		t[4] = a || c
	}
	return t
}

//go:nosplit
func nosplit(a bool) int {
	if a {
		return 1
	}
	return 0
}
