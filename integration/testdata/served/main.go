// Served answers requests, lines of its standard input, until it is killed or told to quit.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"

	"example.com/served/shop"
)

func main() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		words := strings.Fields(in.Text())
		switch words[0] {
		case "quit":
			return
		case "spin": // some ticks
			sum := sha256.New()
			for some := make([]byte, 16<<20); sum.Size() > 0 && len(some) > 1<<20; some = some[1<<20:] {
				sum.Write(some)
			}
			fmt.Println(sum.Sum(nil))
			continue
		}
		fmt.Println(shop.Serve(words[0], words[1:]))
	}
}
