//go:build !linux || !arm64

package main

func main() { panic("agent is for linux/arm64") }
