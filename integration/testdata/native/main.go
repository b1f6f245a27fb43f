// Program native looks at its own text while its paths are sampled by native probes.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	what := map[string]func(){"work": func() {}, "breakpoint": breakpoint, "maps": maps, "children": children, "locked": locked}
	if f := what[os.Args[1]]; f != nil {
		f()
	}
	fmt.Println(work(100 * time.Millisecond))
}

// cpu returns the CPU time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// work takes some CPU time and returns how often the results are wrong.
func work(d time.Duration) (wrong int) {
	for end := cpu() + d; cpu() < end; {
		n := 0
		for i := range 30_000 {
			n += kind(i)
		}
		if n != 60_000 {
			wrong++
		}
	}
	return wrong
}

//go:noinline
func kind(i int) int {
	switch {
	case i%3 == 0:
		return 1
	case i%3 == 1:
		return 2
	}
	return 3
}

// never is not called: a breakpoint in it is not hit.
//
//go:noinline
func never(i int) int {
	if i > 0 {
		return 1
	}
	return kind(i)
}

// breakpoint writes a breakpoint over a site, as a debugger would, and expects it to stay there.
func breakpoint() {
	code := unsafe.Slice((*byte)(reflect.ValueOf(never).UnsafePointer()), 256)
	site := -1
	for i := range 200 {
		if (code[i] == 0x0f || code[i] == 0xe8) && code[i+1] == 0x1f && code[i+2]&0xf8 == 0x80 && code[i+5] == 0x66 && code[i+6] == 0x90 {
			site = i
			break
		}
	}
	if site < 0 {
		fmt.Println("no site in never")
		os.Exit(1)
	}
	begin := uintptr(unsafe.Pointer(&code[site])) &^ 4095
	page := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&code[site]), -int(uintptr(unsafe.Pointer(&code[site]))-begin))), 4096)
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	code[site] = 0xcc
	fmt.Println(work(300 * time.Millisecond))
	if code[site] != 0xcc {
		fmt.Printf("the breakpoint has become %#x\n", code[site])
	}
}

// maps expects that no memory can be both written and executed. Ticks come in the thread that uses the time: with one processor not between
// two system calls of ours.
func maps() {
	for range 20 {
		work(5 * time.Millisecond)
		data, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			fmt.Println(err)
		}
		for line := range bytes.Lines(data) {
			if fields := strings.Fields(string(line)); strings.Contains(fields[1], "wx") {
				fmt.Print("writable and executable: ", string(line))
			}
		}
	}
}

// children starts processes while sites are armed in this one.
func children() {
	done := make(chan bool)
	go func() {
		for range 40 {
			if out, err := exec.Command("/bin/echo", "child").CombinedOutput(); err != nil || string(out) != "child\n" {
				fmt.Printf("%s, %v\n", out, err)
			}
		}
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		default:
			work(time.Millisecond)
		}
	}
}

// locked runs the program again where nothing may be both writable and executable.
func locked() {
	const prSetMDWE, refuseExecGain = 65, 1
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
		fmt.Println("no MDWE:", errno)
		os.Exit(0)
	}
	if err := syscall.Exec("/proc/self/exe", []string{os.Args[0], "work"}, os.Environ()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
