package sys

import (
	"bytes"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// spin is what runs while its text is replaced.
//
//go:noinline
func spin(n int) (odd int) {
	for i := range n {
		if i%2 == 1 {
			odd++
		} else if i%3 == 1 {
			odd += 2
		}
	}
	return odd
}

// TestTextReplaced maps a copy over text that other threads execute, again and again, and writes to it through another mapping:
// they must not notice.
func TestTextReplaced(t *testing.T) {
	const pages, page = 2, Pad * 8
	const readWrite, readExec, shared, private, fixed = 3, 5, 1, 2, 0x10
	begin := reflect.ValueOf(spin).Pointer() &^ (page - 1)
	fd, err := MemoryFile("test\x00")
	if err != 0 {
		t.Skip("no file in memory: ", err.Text())
	}
	defer CloseFile(fd)
	if err := Pwrite(fd, Pointer(begin), pages*page, 0); err != 0 {
		t.Fatal(err.Text())
	}
	view, err := MmapAs(0, pages*page, readWrite, shared, fd, 0)
	if err != 0 {
		t.Fatal(err.Text())
	}
	defer Munmap(Pointer(view), pages*page)

	code := unsafe.Slice((*byte)(Pointer(view)), pages*page)
	between := bytes.Index(code, []byte{0xcc, 0xcc, 0xcc}) + 1 // functions: nothing is executed there
	if between == 0 {
		t.Skip("no place between functions")
	}

	var stop atomic.Bool
	var rounds atomic.Int64
	var threads sync.WaitGroup
	for range 4 {
		threads.Go(func() {
			const want = 832
			for ; !stop.Load(); rounds.Add(1) {
				if got := spin(1000); got != want {
					t.Errorf("spin returns %d, want %d", got, want)
					return
				}
			}
		})
	}
	replaced := 0
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); replaced++ {
		if _, err := MmapAs(begin, pages*page, readExec, private|fixed, fd, 0); err != 0 {
			t.Fatal(err.Text())
		}
		code[between] = byte(replaced)
		if got := *(*byte)(Pointer(begin + uintptr(between))); got != byte(replaced) {
			t.Fatalf("the text has %#x, want %#x", got, byte(replaced))
		}
	}
	stop.Store(true)
	threads.Wait()
	t.Logf("replaced %d times in %d rounds", replaced, rounds.Load())
}

// TestForget writes to a private mapping and has it be what the file has again.
func TestForget(t *testing.T) {
	const page = Pad * 8
	fd, err := MemoryFile("test\x00")
	if err != 0 {
		t.Skip("no file in memory: ", err.Text())
	}
	defer CloseFile(fd)
	if err := PwriteZeros(fd, 0, page); err != 0 {
		t.Fatal(err.Text())
	}
	shared, _ := MmapAs(0, page, 3, 1, fd, 0)
	private, _ := MmapAs(0, page, 3, 2, fd, 0)
	defer Munmap(Pointer(shared), page)
	defer Munmap(Pointer(private), page)
	file, mine := (*byte)(Pointer(shared)), (*byte)(Pointer(private))
	*mine = 1
	if *file = 2; *mine != 1 {
		t.Errorf("a copy has become %d", *mine)
	}
	if err := Forget(private, page); err != 0 {
		t.Fatal(err.Text())
	}
	if *mine != 2 {
		t.Errorf("without a copy there is %d, want 2", *mine)
	}
}
