// Command foreign has two threads of C use a quarter of a second of CPU time each, with Go at work in between.
package main

import "fmt"

func main() {
	thread()
	sum := 0
	for i := range 100_000_000 {
		sum += odd(i)
	}
	fmt.Println(sum)
	thread()
}

//go:noinline
func odd(n int) int {
	if n%2 == 0 {
		return 0
	}
	return 1
}
