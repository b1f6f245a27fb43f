// Package callbacks has functions that nobody calls but code of other packages, or calls through registers.
package callbacks

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
)

type number int

// String is called by package fmt.
func (n number) String() string {
	if n%3 == 0 {
		return "fizz"
	}
	return "number"
}

// Pick is called by reflection.
//
//go:noinline
func (n number) Pick(k int) int {
	if k%2 == 0 {
		return int(n) + k
	}
	return int(n) - k
}

// byParity is sorted through an interface.
type byParity []int

func (l byParity) Len() int      { return len(l) }
func (l byParity) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l byParity) Less(i, j int) bool {
	if l[i]%2 != l[j]%2 {
		return l[i]%2 < l[j]%2
	}
	return l[i] < l[j]
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i*7919%n)
	}
	return list
}

// All calls everything back, and returns a sum.
func All(n int) (sum int) {
	list := numbers(n)
	sort.Sort(byParity(list))
	sort.Slice(list, func(i, j int) bool {
		if list[i]%3 != list[j]%3 {
			return list[i]%3 < list[j]%3
		}
		return list[i] < list[j]
	})
	slices.SortFunc(list, func(a, b int) int {
		if a%5 != b%5 {
			return a%5 - b%5
		}
		return b - a
	})
	text := strings.Map(func(r rune) rune {
		if r == 'i' {
			return -1
		}
		return r + 1
	}, fmt.Sprint(number(n), number(n+1), number(n+2)))
	return sum + len(text) + list[0] + Once(n) + Reflect(n) + Deferred(n)
}

// Once has package sync call.
func Once(n int) (sum int) {
	for i := range n {
		var once sync.Once
		once.Do(func() {
			if i%4 == 0 {
				sum += i
			} else {
				sum--
			}
		})
	}
	return sum
}

// Reflect calls by reflection, and what reflection has made.
func Reflect(n int) (sum int) {
	pick := reflect.ValueOf(number(n)).Method(0)
	made := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(args []reflect.Value) []reflect.Value {
		if args[0].Int()%3 == 0 {
			return []reflect.Value{reflect.ValueOf(1)}
		}
		return args
	}).Interface().(func(int) int)
	method := pick.Interface().(func(int) int)
	for i := range n {
		sum += int(pick.Call([]reflect.Value{reflect.ValueOf(i)})[0].Int()) + made(i) + method(i)
	}
	return sum
}

// Deferred has calls that the runtime does when it returns.
func Deferred(n int) (sum int) {
	for i := range n {
		defer func() {
			if i%3 == 1 {
				sum += i
			} else {
				sum -= i
			}
		}()
	}
	return 0
}
