package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// system looks at what the runtime in instrumented programs needs of the kernel.
func system() []Finding {
	return []Finding{proc(), timers(), kernel()}
}

func proc() Finding {
	f := Finding{Name: "/proc", State: OK, Needed: true,
		Text: "programs can read their environment, arguments and executable"}
	var errs []error
	for _, name := range []string{"environ", "cmdline", "exe"} {
		file, err := os.Open("/proc/self/" + name)
		errs = append(errs, err)
		if err == nil {
			file.Close()
		}
	}
	if err := errors.Join(errs...); err != nil {
		line, _, _ := bytes.Cut([]byte(err.Error()), []byte("\n"))
		f.State, f.Text = No, fmt.Sprintf("%s; mount /proc, from which programs take where to write their data", line)
	}
	return f
}

// timers makes a timer of CPU time, and does not set it.
func timers() Finding {
	f := Finding{Name: "ticks", State: OK, Text: "there are timers of CPU time", Needed: true}
	const processCPU = 2 // CLOCK_PROCESS_CPUTIME_ID
	var id int32
	if _, _, errno := syscall.Syscall(syscall.SYS_TIMER_CREATE, processCPU, 0, uintptr(unsafe.Pointer(&id))); errno != 0 {
		f.State, f.Text = No, fmt.Sprintf("no timers of CPU time (timer_create: %v): "+
			"sampled profiles have a program's first paths only; use -mode exact", errno)
		return f
	}
	syscall.Syscall(syscall.SYS_TIMER_DELETE, uintptr(id), 0, 0)
	return f
}

// kernel says where ticks come.
func kernel() Finding {
	f := Finding{Name: "kernel"}
	var name syscall.Utsname
	var major, minor int
	release := ""
	if err := syscall.Uname(&name); err == nil {
		for _, c := range name.Release {
			if c == 0 {
				break
			}
			release += string(rune(c))
		}
	}
	about, _ := os.ReadFile("/proc/version")
	_, err := fmt.Sscanf(release, "%d.%d", &major, &minor)
	switch {
	case err != nil:
		f.State, f.Text = Unknown, "it does not say what release it is"
	case bytes.Contains(about, []byte("gVisor")):
		f.State, f.Text = Unknown, "gVisor, where nobody has tried this: compare a profile with one of -mode exact"
	case major > 6 || major == 6 && minor >= 4:
		f.State, f.Text = OK, fmt.Sprintf("Linux %d.%d has ticks come in the thread that used the CPU time", major, minor)
	default:
		f.State, f.Text = No, fmt.Sprintf("Linux %d.%d has ticks come in any thread, so estimates of programs with "+
			"several threads are less accurate; 6.4 is the first that does better", major, minor)
	}
	return f
}
