package versions

// Sum adds up.
func Sum(x []int) int {
	n := 0
	for _, v := range x {
		n += v
	}
	return n
}

// sumFour adds four at a time.
//
//goprofinstr:variant of=Sum
func sumFour(x []int) int {
	n := 0
	for len(x) >= 4 {
		n += x[0] + x[1] + x[2] + x[3]
		x = x[4:]
	}
	for _, v := range x {
		n += v
	}

	return n
}
