// Goprofinstr as a tool of other modules. It is a module of its own that requires nothing, so that a go.mod
// has two lines more with it.
module github.com/goprofinstr/goprofinstr/tool

go 1.24
