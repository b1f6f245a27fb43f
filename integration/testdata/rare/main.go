// Command rare has goroutines that call a function some thousand times in all, beside a loop that takes all the time.
package main

import (
	"fmt"
	"os"
)

const (
	goroutines = 8
	calls      = 500     // of each
	rounds     = 400_000 // with a fourth of them a tick that comes late finds more calls than are counted
)

//go:noinline
func rare(i int) int {
	if i%5 == 0 {
		return 1
	}
	return 2
}

func hot(n int) (sum int) {
	for i := range n {
		if i&7 == 3 {
			sum += 2
		} else {
			sum++
		}
	}
	return sum
}

func main() {
	done := make(chan int)
	for range goroutines {
		go func() {
			sum := 0
			for i := range calls {
				sum += rare(i) + hot(rounds)
			}
			done <- sum
		}()
	}
	sum := 0
	for range goroutines {
		sum += <-done
	}
	fmt.Println(sum)
	if len(os.Args) > 1 {
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		select {}
	}
}
