// Package cgo has what C code calls, in threads of Go and of C.
package cgo

import (
	"errors"
	"fmt"
	"runtime"
)

// Order compares for C: odd numbers come first.
func Order(a, b int) int {
	switch {
	case a == Panics:
		panic(errOrder)
	case a%2 != b%2:
		return b%2 - a%2
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Panics is what Order panics at.
const Panics = 1 << 30

var errOrder = errors.New("order")

// Work is called by threads of C. Its stack grows, it makes garbage, and panics of its own are recovered.
func Work(n int) (sum int) {
	for i := range n % 50 {
		if i%3 == 0 {
			sum += len(fmt.Sprint(i))
		} else {
			sum += deep(i % 9)
		}
	}
	if n%5 == 0 {
		sum += survive(nil)
	}
	if n%17 == 0 {
		runtime.Gosched()
	}
	return sum
}

func deep(n int) int {
	var room [300]int
	room[n] = n
	if n == 0 {
		return room[n]
	}
	return deep(n-1) + room[n]
}

type node struct{ key int }

func survive(n *node) (sum int) {
	defer func() {
		if recover() != nil {
			sum = 7
		}
	}()
	if n.key == 0 {
		return 1
	}
	return n.key
}

// Sort has C sort, and checks what it has made.
func Sort(n int) (sum int) {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i * 7919 % n)
	}
	sorted(list)
	for i, k := range list {
		if i > 0 && Order(int(list[i-1]), int(k)) > 0 {
			return -1
		}
		sum = sum*31 + int(k)
	}
	return sum
}

// Through panics through C, and is recovered behind it.
func Through() (err error) {
	defer func() { err, _ = recover().(error) }()
	back(Panics)
	return nil
}

// Mixed goes to and fro between Go and C.
func Mixed(n int) (sum int) {
	for i := range n {
		if i%4 == 0 {
			sum += spin(i % 100)
		} else {
			sum += back(i)
		}
	}
	return sum
}

// All does all of it. What it returns is the same each time.
func All(n int) string {
	err := Through()
	return fmt.Sprint(Sort(n), threads(4, n/8, 3), Mixed(n), err)
}
