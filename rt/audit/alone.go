//go:build !goprofinstr_std || !goprofinstr_audit

package audit

// audited returns nothing of use: without hooks in package runtime no goroutine is known from others.
func audited(U) *U { return new(U) }
