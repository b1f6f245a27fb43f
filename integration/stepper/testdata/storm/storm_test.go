package storm

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"testing"
	"time"
)

var rounds = flag.Int("rounds", 20, "how often everything is done")

var forAtLeast = flag.Duration("for", 0, "and for how long")

var sealed = flag.Bool("sealed", false, "let no code be written")

// seal has the system let no memory be both written and executed.
func seal(t *testing.T) {
	const mdwe, refuse = 65, 1 // PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, mdwe, refuse, 0, 0, 0, 0); err != 0 {
		t.Log("not sealed: ", err)
	}
}

// expected has what each call has returned first, by what was called. All others have to return the same.
var expected sync.Map

func check(t *testing.T, call string, got any) {
	text := fmt.Sprint(got)
	if want, there := expected.LoadOrStore(call, text); there && want != text {
		t.Errorf("%s is %s\nand was %s", call, text, want)
	}
}

// Test does everything in several goroutines, again and again.
func Test(t *testing.T) {
	if *sealed {
		seal(t)
	}
	begin := time.Now()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := 0; i < *rounds || time.Since(begin) < *forAtLeast; i++ {
				round(t, g, i)
			}
		})
	}
	all.Wait()
	expected.Range(func(call, value any) bool { t.Log(call, len(value.(string))); return true })
}

func round(t *testing.T, g, i int) {
	check(t, "Sieve", Sieve(20000))
	check(t, "Within", Within(20000))
	check(t, "Ackermann", Ackermann(2, 40))
	var last = 7
	check(t, fmt.Sprint("Frames ", i%40), Frames(i%40*10, &last))
	check(t, "Tree", Tree(300))
	if n := Nothing(); n != 23 {
		t.Errorf("Nothing is %d", n)
	}
	for how := range 18 {
		check(t, fmt.Sprint("Survive ", how), Survive(how, how*3))
	}
	var done sync.WaitGroup
	n := 0
	done.Add(1)
	go Leave(i%10, &done, &n)
	done.Wait()
	check(t, fmt.Sprint("Leave ", i%10), n)
	check(t, "Pipeline", Pipeline(5, 60))
	check(t, "Where", where(6))
	check(t, "Words", Words(200))
	if g == 0 && i%5 == 0 {
		goroutines(t)
	}
}

func where(n int) string { return Where(n, where) }

// goroutines makes sure that each address on each stack is one of a function.
func goroutines(t *testing.T) {
	records := make([]runtime.StackRecord, 200)
	n, _ := runtime.GoroutineProfile(records)
	for _, r := range records[:n] {
		for _, pc := range r.Stack() {
			if runtime.FuncForPC(pc-1) == nil {
				t.Errorf("%#x is in no function", pc)
			}
		}
	}
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 2)
	if bytes.Contains(b.Bytes(), []byte("unknown")) {
		t.Errorf("%s", b.Bytes())
	}
}
