package method

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	rtstrata "github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// TestStrata evaluates what probes have for a stratum where the path register has the path, with increments of
// either sign. It compares that with the stratum that the reader takes the event to be in. Probes have the latter
// where the path is known.
func TestStrata(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		bits := uint(r.IntN(17))
		spec := stream.Spec{Sampler: stream.Sampler{Kind: stream.KindPeriodic, Rate: 256}, Bits: bits}
		ns := &emit.Names{Counters: "C", Hashes: "H"}
		s := &strata{streamed{Stream: Stream{Text: "t", Spec: spec}, Names: ns, pkg: "example.com/p"}}
		if !s.inLine() {
			t.Fatalf("%+v takes calls", s.Spec)
		}
		first, value, number := r.Uint64N(1<<17), r.Uint64N(1<<20), r.Uint64N(1<<21)-1<<20
		register := value - number // may be less than 0

		var stratum, inc, key, mask, shift, rate uint64
		known := s.arrayed(first, eventValue{number: value})
		scan(t, known, fmt.Sprintf("Event(%%d,&C[rt.Pad+%d],%d,%%d)", first, value), &stratum, &rate)
		if want := rtstrata.CountedStratum(rtstrata.StreamKey("example.com/p", -1), first+value, uint64(bits)); stratum != want || rate != 256 {
			t.Fatalf("%s: want stratum %d", known, want)
		}
		inRegister := s.arrayed(first, eventValue{register: "r", number: number})
		scan(t, inRegister, fmt.Sprintf("Event(strata.Counted(r,%%d,%%d),&C[rt.Pad+%d],r%s,256)", first, Signed(number, "+", "-")), &key, &mask)
		if got := rtstrata.Counted(register, key, mask); got != stratum {
			t.Fatalf("%s is %d for r = %d, want %d", inRegister, got, int64(register), stratum)
		}

		known = s.hashed(3, eventValue{number: value})
		scan(t, known, fmt.Sprintf("EventPath(%%d,&H[3],%d,256)", value), &stratum)
		if due := fmt.Sprintf("if strata.Due(%d)", stratum); !strings.HasPrefix(known.Statement, due) {
			t.Fatalf("%s: want %s", known.Statement, due)
		}
		inRegister = s.hashed(3, eventValue{register: "r", number: number})
		scan(t, inRegister, fmt.Sprintf("EventPath(strata.Hashed(r,%%d,%%d),&H[3],r%s,256)", Signed(number, "+", "-")), &inc, &shift)
		if got := rtstrata.Hashed(register, inc, shift); got != stratum {
			t.Fatalf("%s is %d for r = %d, want %d", inRegister, got, int64(register), stratum)
		}
		wide := s.hashed(3, eventValue{register: "r", number: number, wide: true})
		scan(t, wide, fmt.Sprintf("EventPath(strata.Hashed(strata.Fold(r%s),%%d,%%d),&H[3],r%s,256)", Signed(number, "+", "-"), Signed(number, "+", "-")), &key, &shift)
		if got := rtstrata.Hashed(rtstrata.Fold(register+number), key, shift); got != stratum {
			t.Fatalf("%s is %d for r = %d, want %d", wide, got, int64(register), stratum)
		}
	}
}

// scan reads numbers from the last call of a statement.
func scan(t *testing.T, code Code, format string, into ...*uint64) {
	t.Helper()
	text := strings.TrimSuffix(code.Statement[strings.Index(code.Statement, "Event"):], "}")
	var args []any
	for _, p := range into {
		args = append(args, p)
	}
	if _, err := fmt.Sscanf(text, format, args...); err != nil {
		t.Fatalf("%s: not %s: %v", text, format, err)
	}
}
