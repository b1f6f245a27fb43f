package event

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// typeOf returns the address of the internal/abi.Type of a value.
func typeOf(v any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v)) }

// methods are of two receivers, so that tables of methods have more than one.
type methods struct{ io.Reader }

func (*methods) WriteByte(byte) error { return nil }

func (*methods) ReadByte() (byte, error) { return 0, nil }

// TestLayout holds what is known of types and of tables of methods against those of this program.
func TestLayout(t *testing.T) {
	for _, v := range []any{true, 1, uint8(1), 1.5, "text", []int{1}, map[int]int{}, [1]int{}, struct{}{}, new(int), &methods{}, func() {}, make(chan int), methods{}} {
		if got, want := *(*byte)(unsafe.Add(typeOf(v), typeKind))&kindMask, byte(reflect.TypeOf(v).Kind()); got != want {
			t.Errorf("%T is of kind %d, found %d", v, want, got)
		}
	}
	if kindPointer != reflect.Pointer {
		t.Errorf("pointers are of kind %d", reflect.Pointer)
	}

	var i interface { // in the order of the table, by name
		ReadByte() (byte, error)
		WriteByte(byte) error
	} = &methods{}
	i.WriteByte(1) // both are called, or the linker would leave them out
	i.ReadByte()
	itab := *(*unsafe.Pointer)(unsafe.Pointer(&i))
	if *(*unsafe.Pointer)(unsafe.Add(itab, itabType)) != typeOf(i) {
		t.Error("the table of methods has its type elsewhere")
	}
	for n, name := range []string{"ReadByte", "WriteByte"} {
		entry := *(*uintptr)(unsafe.Add(itab, itabFun+uintptr(n)*pointerSize))
		if got := sys.Symbol(entry); !strings.HasSuffix(got, "."+name) {
			t.Errorf("method %d is %q, want %s", n, got, name)
		}
	}
}
