package rewrite

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// TestStrata evaluates what probes have for a stratum where the path register has the path, with increments of either sign, and compares it with the stratum
// that the reader takes the event to be in, which is what probes have where the path is known.
func TestStrata(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		bits := uint(r.IntN(17))
		s := &streamer{Stream: Stream{Text: "t", Spec: stream.Spec{Sampler: stream.Sampler{Kind: stream.KindPeriodic, Rate: 256}, Bits: bits}}, rt: "rt", pkg: "example.com/p"}
		if !s.InLine() {
			t.Fatalf("%+v takes calls", s.Spec)
		}
		first, value, number := r.Uint64N(1<<17), r.Uint64N(1<<20), r.Uint64N(1<<21)-1<<20
		register := value - number // may be less than 0

		var stratum, inc, key, mask, shift, rate uint64
		known := s.counted("C", first, eventValue{number: value})
		scan(t, known, fmt.Sprintf("Event(%%d,&C[rt.Pad+%d],%d,%%d)", first, value), &stratum, &rate)
		if want := rt.CountedStratum(rt.StreamKey("example.com/p", -1), first+value, uint64(bits)); stratum != want || rate != 256 {
			t.Fatalf("%s: want stratum %d", known, want)
		}
		inRegister := s.counted("C", first, eventValue{register: "r", number: number})
		scan(t, inRegister, fmt.Sprintf("Event(rt.Counted(r,%%d,%%d),&C[rt.Pad+%d],r%s,256)", first, signed(number, "+", "-")), &key, &mask)
		if got := rt.Counted(register, key, mask); got != stratum {
			t.Fatalf("%s is %d for r = %d, want %d", inRegister, got, int64(register), stratum)
		}

		known, told := s.hashed(3, "H", eventValue{number: value})
		scan(t, known, fmt.Sprintf("EventPath(%%d,&H[3],%d,256)", value), &stratum)
		if told != fmt.Sprint(stratum) {
			t.Fatalf("%s: told stratum %s", known, told)
		}
		inRegister, _ = s.hashed(3, "H", eventValue{register: "r", number: number})
		scan(t, inRegister, fmt.Sprintf("EventPath(rt.Hashed(r,%%d,%%d),&H[3],r%s,256)", signed(number, "+", "-")), &inc, &shift)
		if got := rt.Hashed(register, inc, shift); got != stratum {
			t.Fatalf("%s is %d for r = %d, want %d", inRegister, got, int64(register), stratum)
		}
		wide, _ := s.hashed(3, "H", eventValue{register: "r", number: number, wide: true})
		scan(t, wide, fmt.Sprintf("EventPath(rt.Hashed(rt.Fold(r%s),%%d,%%d),&H[3],r%s,256)", signed(number, "+", "-"), signed(number, "+", "-")), &key, &shift)
		if got := rt.Hashed(rt.Fold(register+number), key, shift); got != stratum {
			t.Fatalf("%s is %d for r = %d, want %d", wide, got, int64(register), stratum)
		}
	}
}

func scan(t *testing.T, text, format string, into ...*uint64) {
	t.Helper()
	var args []any
	for _, p := range into {
		args = append(args, p)
	}
	if _, err := fmt.Sscanf(text, format, args...); err != nil {
		t.Fatalf("%s: not %s: %v", text, format, err)
	}
}
