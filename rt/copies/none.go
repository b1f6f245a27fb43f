//go:build !goprofinstr_std || !goprofinstr_copies || !linux || !amd64 || goprofinstr_basic

package copies

// Elsewhere no program has copies.
