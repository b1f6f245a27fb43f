// Gpi is goprofinstr under a short name: the same program, with the same commands and flags.
//
//	go install github.com/goprofinstr/goprofinstr/cmd/gpi@latest
//	gpi wrap go test ./...
package main

import (
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
