// Goprofinstr is a path profiler for Go programs: it tells which sequences of
// branches a program takes through its functions, and how often.
//
// Usage:
//
//	goprofinstr wrap [flags] [--] go {test|build|run|install} [go flags] [packages] [args]
//	goprofinstr report [flags] [DIR]
//	goprofinstr view [flags] [DIR]
//	goprofinstr check [flags] [DIR]
//	goprofinstr select -diff REV [flags] [DIR]
//	goprofinstr diff [flags] OLD [NEW]
//	goprofinstr merge -o OUT DIR...
//	goprofinstr cover [DIR]
//	goprofinstr export [flags] [DIR]
//	goprofinstr pgo -o FILE [flags] DIR...
//	goprofinstr agent [flags] [program [args]]
//	goprofinstr archive add|ls|compact|prune [flags] ARCHIVE or DIR...
//	goprofinstr snapshot [-o OUT] [DIR]
//	goprofinstr audit [flags] [--] go {test|build|run|install} [go flags] [packages] [args]
//	goprofinstr warm [--] [go {test|build|run|install} [go flags] [packages]]
//	goprofinstr doctor [flags]
//	goprofinstr version [flags]
//	goprofinstr completion bash|zsh|fish
//	goprofinstr help [-markdown] [-man] [command or topic]
//
// See `goprofinstr help`, docs/reference/commands.md, which it writes, and the README. The program is package
// cli; gpi is the same under a short name.
package main

import (
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
