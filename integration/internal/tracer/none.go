//go:build !linux || !amd64

package tracer
