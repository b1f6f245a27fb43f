// Program native looks at its own text while its paths are sampled by native probes.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	what := map[string]func(){
		"work": func() {}, "breakpoint": breakpoint, "maps": maps, "children": children, "fork": fork, "profile": profile,
		"locked": func() { lock(); again() }, "walled": func() { lock(); wall(); again() }, "nofile": func() { wall(); again() },
		"small": func() { limit(); again() }, "taken": taken, "sealed": sealed,
	}
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

// siteIn returns where a function has a site.
func siteIn(f any) *byte {
	code := unsafe.Slice((*byte)(reflect.ValueOf(f).UnsafePointer()), 256)
	for i := range 200 {
		if (code[i] == 0x0f || code[i] == 0xe8) && code[i+1] == 0x1f && code[i+2]&0xf8 == 0x80 && code[i+5] == 0x66 && code[i+6] == 0x90 {
			return &code[i]
		}
	}
	fmt.Println("no site")
	os.Exit(1)
	return nil
}

// seen returns how often a site is found armed, and how often not, and how often it is something else, in some CPU time in which paths end.
func seen(site *byte, d time.Duration) (armed, disarmed, others int) {
	for end := cpu() + d; cpu() < end; {
		for i := range 1000 {
			kind(i)
			switch *site {
			case 0xe8:
				armed++
			case 0x0f:
				disarmed++
			default:
				others++
			}
		}
	}
	return armed, disarmed, others
}

// breakpoint writes a breakpoint over a site, as a debugger would, while the sites around it are armed. It expects it to stay there, and the others to be disarmed and armed again.
func breakpoint() {
	site, other := siteIn(never), siteIn(kind)
	begin := uintptr(unsafe.Pointer(site)) &^ 4095
	page := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(site), -int(uintptr(unsafe.Pointer(site))-begin))), 4096)
	if uintptr(unsafe.Pointer(other))&^4095 != begin {
		fmt.Println("not in one page")
	}
	set := func(b byte) {
		for end := cpu() + time.Second; *other != 0xe8 && cpu() < end; {
			kind(1)
		}
		if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		*site = b
		if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
			fmt.Println(err)
		}
	}
	for range 3 {
		set(0xcc)
		if armed, disarmed, others := seen(other, 100*time.Millisecond); armed == 0 || disarmed == 0 || others != 0 || *site != 0xcc {
			fmt.Printf("with a breakpoint: %d times armed, %d times not, %d times something else; the breakpoint is %#x\n", armed, disarmed, others, *site)
		}
		set(0x0f)
		if armed, disarmed, others := seen(other, 50*time.Millisecond); armed == 0 || disarmed == 0 || others != 0 || *site == 0xcc {
			fmt.Printf("without it: %d times armed, %d times not, %d times something else; it is %#x\n", armed, disarmed, others, *site)
		}
	}
	fmt.Println(work(100 * time.Millisecond))
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

// fork makes a process that goes on with the same text, of one thread, and works in both. It expects that the child is not armed for ever, nor whenever the parent is.
func fork() {
	site := siteIn(kind)
	pid, _, errno := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	if errno != 0 {
		fmt.Println(errno)
		os.Exit(1)
	}
	if pid == 0 {
		wrong := work(300 * time.Millisecond)
		if armed, _, others := seen(site, 100*time.Millisecond); wrong+armed+others != 0 {
			wrong = 1
		}
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(wrong), 0, 0)
	}
	var status syscall.WaitStatus
	for range 2000 {
		work(time.Millisecond)
		if done, err := syscall.Wait4(int(pid), &status, syscall.WNOHANG, nil); err != nil || done != 0 {
			fmt.Println(err, status.Exited(), status.ExitStatus())
			return
		}
	}
	fmt.Println("the child does not end")
	syscall.Kill(int(pid), syscall.SIGKILL)
}

// profile writes a CPU profile of the program.
func profile() {
	f, err := os.Create(os.Args[2])
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	work(500 * time.Millisecond)
	pprof.StopCPUProfile()
}

// taken has SIGSEGV end the process, as C code may that handles it. After a tick no path end faults any more. Threads without
// a log would.
func taken() {
	take()
	var threads sync.WaitGroup
	for range 4 {
		threads.Go(func() {
			runtime.LockOSThread()
			kind(1)
		})
	}
	threads.Wait()
}

// take has SIGSEGV end the process, and waits for ticks.
func take() {
	var byDefault [4]uint64 // the kernel's struct sigaction
	_, _, errno := syscall.RawSyscall6(
		syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	if errno != 0 {
		fmt.Println(errno)
	}
	burn()
}

// burn takes some tenths of a second of CPU time in which no path ends.
func burn() {
	data := make([]byte, 64<<20)
	sha256.Sum256(data)
	sha256.Sum256(data)
	sha256.Sum256(data)
	sha256.Sum256(data)
}

// sealed has the process end if it makes memory both writable and executable once ticks have seen that SIGSEGV is taken.
func sealed() {
	take()
	const load, and, jumpUnlessEqual, doReturn, kill, allow = 0x20, 0x54, 0x15, 0x06, 0x8000_0000, 0x7fff_0000
	const number, protection, writeExec = 0, 32, 2 | 4
	const seccomp, setFilter, allThreads, noNewPrivileges = 317, 1, 1, 38
	filter := []syscall.SockFilter{
		{Code: load, K: number}, {Code: jumpUnlessEqual, Jf: 4, K: syscall.SYS_MPROTECT},
		{Code: load, K: protection}, {Code: and, K: writeExec}, {Code: jumpUnlessEqual, Jf: 1, K: writeExec},
		{Code: doReturn, K: kill}, {Code: doReturn, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0)
	if _, _, errno := syscall.RawSyscall(seccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&program))); errno != 0 {
		fmt.Println("no seccomp:", errno)
		os.Exit(0)
	}
	burn()
	os.Exit(0) // functions that are entered often from now on have their text written to, too
}

// lock has nothing be both writable and executable any more.
func lock() {
	const prSetMDWE, refuseExecGain = 65, 1
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
		fmt.Println("no MDWE:", errno)
		os.Exit(0)
	}
}

// wall has the system make no file in memory.
func wall() {
	const loadNumber, jumpUnlessEqual, doReturn, fail, allow = 0x20, 0x15, 0x06, 0x0005_0000, 0x7fff_0000
	const setSeccomp, filterMode, noNewPrivileges, memfdCreate = 22, 2, 38, 319
	filter := []syscall.SockFilter{
		{Code: loadNumber}, {Code: jumpUnlessEqual, Jf: 1, K: memfdCreate},
		{Code: doReturn, K: fail | uint32(syscall.EACCES)}, {Code: doReturn, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // which is the one that executes
	syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, filterMode, uintptr(unsafe.Pointer(&program))); errno != 0 {
		fmt.Println("no seccomp:", errno)
		os.Exit(0)
	}
}

// limit lets the program have small files only.
func limit() {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 600 << 10, Max: 600 << 10}); err != nil {
		fmt.Println(err)
	}
}

// again runs the program again under what has been said.
func again() {
	if err := syscall.Exec("/proc/self/exe", []string{os.Args[0], "work"}, os.Environ()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
