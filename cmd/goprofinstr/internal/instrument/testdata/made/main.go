// Made imports packages that import one another.
package main

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument/testdata/made/leaf"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument/testdata/made/other"
)

func main() {
	b := leaf.Of(3, 4)
	fmt.Println(leaf.Text, leaf.Small(2), leaf.Large(b), other.Twice(b), other.Max([]int{1, 2}), other.Sum.String())
}
