// Polled encodes, decodes, sorts, matches and parses until it is killed: what a service does, in several goroutines. With -busy
// it rests most of the time after so long.
package main

import (
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
)

type record struct {
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Size  int               `json:"size"`
	Attrs map[string]string `json:"attrs"`
}

const source = "package p\nfunc f(x, y int) (n int) {\n\tfor i := range x {\n\t\tif i%2 == 0 {\n\t\t\tn += y * i\n\t\t}\n\t}\n\treturn n\n}\n"

var words = regexp.MustCompile(`(\w+)-(\d+)|[aeiou]{2,}`)

func main() {
	busy := flag.Duration("busy", 1<<62, "how long there is nothing but work")
	flag.Parse()
	end := time.Now().Add(*busy)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			for n := i; ; n++ {
				if work(n); time.Now().After(end) {
					time.Sleep(100 * time.Millisecond)
				}
			}
		})
	}
	wg.Wait()
}

func work(n int) {
	list := make([]record, 0, 20)
	for i := range 20 {
		k := (n*31 + i*17) % 101
		list = append(list, record{
			Name: strings.Repeat("name-", k%5+1), Tags: []string{"a-1", "queue", "b"}[:k%3], Size: k * n % 1000,
			Attrs: map[string]string{"zone": strings.Repeat("z", k%7)},
		})
	}
	sort.Slice(list, func(a, b int) bool { return list[a].Size < list[b].Size })
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	var back []record
	if err := json.Unmarshal(text, &back); err != nil || len(back) != len(list) {
		panic(err)
	}
	words.FindAllString(string(text), -1)
	if n%10 == 0 {
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0); err != nil {
			panic(err)
		}
	}
}
