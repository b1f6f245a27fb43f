package copies

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// inTransit returns the functions of a program that threads pass through, where package go/printer is counted.
func inTransit(t *testing.T, program string) (*machine.Image, []*machine.Function) {
	t.Helper()
	no := func(string) bool { return false }
	im, err := machine.Open(program, no, no)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Transit(im, func(f *machine.Function) bool { return f.Package == "go/printer" })
	if err != nil {
		t.Fatal(err)
	}
	return im, list
}

// TestTransit makes the copies that threads pass through.
func TestTransit(t *testing.T) {
	im, list := inTransit(t, build(t))
	c := New(im, Base(im.File))
	var copied []*machine.Function
	var originals uint64
	for _, f := range list {
		if err := im.Decode(f); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if err := c.Add(f, nil); err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		copied, originals = append(copied, f), originals+f.Hi-f.Lo
	}
	checkTransit(t, copied)
	got, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d functions of %d bytes have copies of %d", len(copied), originals, len(got.Code))
	checkCopies(t, im.File, got, copied, false)
}

// TestTransitBesideC looks for functions that threads pass through in a program whose text begins with C code.
func TestTransitBesideC(t *testing.T) {
	_, list := inTransit(t, buildBesideC(t))
	checkTransit(t, list)
}

// TestBriefly makes the same copies where functions are decoded for so long only: nothing of a copy refers to instructions, which
// those of other functions follow in the same memory.
func TestBriefly(t *testing.T) {
	im, list := inTransit(t, build(t))
	var made []*Copied
	for _, decode := range []func(*machine.Function) error{im.DecodeBriefly, im.Decode} {
		c := New(im, Base(im.File))
		for _, f := range list {
			if err := decode(f); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if err := c.Add(f, nil); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			im.Leave(f)
			if f.Insts != nil || f.Blocks != nil {
				t.Fatalf("%s still has instructions", f.Name)
			}
		}
		got, err := c.Finish()
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, got)
	}
	if !bytes.Equal(made[0].Code, made[1].Code) || !slices.Equal(made[0].Origins, made[1].Origins) ||
		!slices.Equal(made[0].Entrances, made[1].Entrances) || !slices.Equal(made[0].Returns, made[1].Returns) {
		t.Error("the copies are others")
	}
}

// checkTransit looks for functions in a list of those that threads pass through.
func checkTransit(t *testing.T, list []*machine.Function) {
	in := make(map[string]bool)
	for _, f := range list {
		in[f.Name] = true
	}
	for _, name := range []string{
		"main.main",                             // calls what is counted
		"fmt.Fprintf",                           // calls what calls methods
		"runtime.reflectcall", "runtime.call32", // by reflection
		"runtime.deferreturn",
	} {
		if !in[name] && !in[name+".abi0"] {
			t.Errorf("%s has no copy", name)
		}
	}
	for name := range in {
		below := strings.HasPrefix(name, "runtime.") && !strings.Contains(name, "call") &&
			name != "runtime.deferreturn" && name != "runtime.corostart"
		if below || strings.HasPrefix(name, "syscall.") || strings.HasPrefix(name, "internal/runtime/") || name == "strings.ToLower" {
			t.Errorf("%s has a copy", name)
		}
	}
}
