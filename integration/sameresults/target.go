package main

import (
	"fmt"
	"strings"
)

// A target is a system whose programs are run by an emulator. The zero target is the system here.
type target struct {
	goos, goarch string
	exec         string // what runs programs, as in go test -exec
}

// parseTarget returns the target of a flag, GOOS/GOARCH or nothing.
func parseTarget(name, exec string) (target, error) {
	if name == "" && exec == "" {
		return target{}, nil
	}
	goos, goarch, ok := strings.Cut(name, "/")
	if !ok || exec == "" {
		return target{}, fmt.Errorf("-target GOOS/GOARCH and -exec PROGRAM go together")
	}
	return target{goos, goarch, exec}, nil
}

// here reports whether programs are run as they are.
func (t target) here() bool { return t.exec == "" }

// suffix is the target's part of names.
func (t target) suffix() string {
	if t.here() {
		return ""
	}
	return " " + t.goos + "_" + t.goarch
}

// env returns what the go command is told in its environment.
func (t target) env() []string {
	if t.here() {
		return nil
	}
	return []string{"GOOS=" + t.goos, "GOARCH=" + t.goarch, "CGO_ENABLED=0"}
}

// flags returns what go test is told.
func (t target) flags() []string {
	if t.here() {
		return nil
	}
	return []string{"-exec=" + t.exec}
}
