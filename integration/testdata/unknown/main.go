package main

func main() {
	total := 0
	for n := range 300 {
		total += collatz(n)
		if failing(n) {
			total++
		}
	}
	println(total)
}

func collatz(n int) (steps int) {
	for ; n > 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

func failing(n int) (failed bool) {
	defer func() { failed = recover() != nil }()
	if n%3 == 0 {
		panic(n)
	}
	return false
}
