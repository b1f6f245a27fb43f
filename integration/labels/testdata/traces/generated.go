package main

import "fmt"

//line grammar.y:100
func generated(words []string) {
	if len(words) > 1 && words[0] == "a" {
//line /abs/actions.y:7:3
		fmt.Println("generated", here())
		fmt.Println( /*line /abs/other.y:9:1*/ inlined(len(words) == 2 || words == nil, false, 7))
	}
}
