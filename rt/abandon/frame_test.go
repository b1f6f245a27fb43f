package abandon

import (
	"testing"
	"unsafe"
)

// TestAnchor has an Anchor lead to its Frame, and what is left of one when something else is there lead nowhere.
func TestAnchor(t *testing.T) {
	var a Anchor
	if a.leads() {
		t.Error("nothing leads to a frame")
	}
	f := new([2]Frame)
	Hold(&a, &f[0])
	if !a.leads() || a.frame != &f[0] {
		t.Error("does not lead to its frame")
	}
	if (&Anchor{&f[1], a.check}).leads() {
		t.Error("half of an anchor leads to another frame")
	}
	if checkOf(uintptr(a.check)) == U(uintptr(unsafe.Pointer(a.frame))) {
		t.Error("an anchor leads backwards")
	}
}
