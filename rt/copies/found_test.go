package copies

import (
	"math/rand/v2"
	"testing"
)

// TestFound has answers be noted, and compares what is known with all of them.
func TestFound(t *testing.T) {
	const numbers = 4096
	random := rand.New(rand.NewPCG(1, 2))
	var f found
	noted := make(map[uint32]uint32)
	known := 0
	for range 100_000 {
		number := random.Uint32N(numbers)
		a := f.at(number)
		result, ok := a.of(number)
		if ok && result != noted[number] {
			t.Fatalf("%d was found for %d, and %d is known", noted[number], number, result)
		}
		if ok {
			known++
		}
		noted[number] = 1 + random.Uint32N(5)
		a.note(number, noted[number])
		if result, ok := a.of(number); !ok || result != noted[number] {
			t.Fatalf("%d was found for %d just now; known: %d, %v", noted[number], number, result, ok)
		}
	}
	if known < 5_000 {
		t.Errorf("%d numbers of 100000 were known, want some eighth", known)
	}
}
