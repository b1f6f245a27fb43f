package pcct

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// fresh is what the activation words of a function hold at first: a negative number of 31 bits, as package rt makes them.
const fresh = U(0xffff_ffff_b123_4567)

const marked = fresh &^ markBit

// memory makes a frame of words.
func memory(words []U) Memory {
	return Memory{Begin: unsafe.Pointer(unsafe.SliceData(words)), Size: uintptr(len(words)) * 8}
}

// A slowWord is what ActivationWord is to do, told in another way: of lists of all that is found.
type slowWord struct {
	places []int // words from the end, at which there was one when it could have been written
}

// look returns what is known of an activation, and what is in its frame afterwards.
func (s *slowWord) look(frame []U, write bool) (ActivationKind, []U) {
	after := slices.Clone(frame)
	if len(frame)*8 > mostSearched {
		return Unknown, after
	}
	for i, w := range frame {
		if w != fresh && w != marked || !write {
			continue
		}
		if fromEnd := len(frame) - i; slices.Contains(s.places, fromEnd) {
			after[i] = marked
		} else if len(s.places) < 4 {
			s.places = append(s.places, fromEnd)
		}
	}
	switch {
	case slices.Contains(frame, fresh):
		return Unmarked, after
	case slices.Contains(frame, marked):
		return Marked, after
	}
	return Unknown, after
}

// randomFrame returns a frame in which there may be several words that look like an activation word.
func randomFrame(r *rand.Rand) []U {
	frame := make([]U, r.IntN(12))
	if r.IntN(40) == 0 {
		frame = make([]U, mostSearched/8-1+r.IntN(3))
	}
	for i := range frame {
		switch r.IntN(8) {
		case 0:
			frame[i] = fresh
		case 1:
			frame[i] = marked
		case 2:
			frame[i] = fresh ^ 1<<r.IntN(64) // nearly
		default:
			frame[i] = r.Uint64()
		}
	}
	return frame
}

// TestSearch holds the search of frames against one that is slow: what it finds, and all that it writes.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := make(map[ActivationKind]int)
	for range 20_000 {
		word, slow := ActivationWord{Fresh: fresh}, slowWord{}
		for range 1 + r.IntN(8) {
			frame, write := randomFrame(r), r.IntN(3) > 0
			before := slices.Clone(frame)
			want, after := slow.look(frame, write)
			if got := word.Look(memory(frame), write); got != want || !slices.Equal(frame, after) {
				t.Fatalf("%#x (write: %t): %d, %#x, want %d, %#x", before, write, got, frame, want, after)
			}
			found[want]++
		}
	}
	for _, kind := range []ActivationKind{Unknown, Unmarked, Marked} {
		if found[kind] < 1000 {
			t.Errorf("%d frames of kind %d only", found[kind], kind)
		}
	}
}

// TestFind finds the first word of a frame, whether it is marked or not, and writes nothing.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		frame := randomFrame(r)
		before := slices.Clone(frame)
		word := ActivationWord{Fresh: fresh}
		at, ok := word.Find(memory(frame))
		want := slices.IndexFunc(frame, func(w U) bool { return w == fresh || w == marked })
		if ok != (want >= 0) || ok && int(at) != want*8 || !slices.Equal(frame, before) {
			t.Fatalf("%#x: %d, %t, want word %d", before, at, ok, want)
		}
	}
	if _, ok := new(ActivationWord).Find(memory([]U{0, markBit})); ok {
		t.Error("a function of which nothing is known has a word")
	}
}

// TestLearn has a path end tell where the word is. From then on only that place is read and written, in frames of all sizes.
func TestLearn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		const made = fresh ^ 0x123 // by a compiler that takes the function to begin on another line
		frame := randomFrame(r)
		if len(frame) == 0 {
			continue
		}
		at := r.IntN(len(frame))
		fromEnd := len(frame) - at
		frame[at] = made &^ (markBit * U(r.IntN(2)))
		word := ActivationWord{Fresh: fresh}
		word.Learn(memory(frame), uintptr(at)*8)

		frame = randomFrame(r)
		want := Unmarked // it has not written its word yet, or its frame is not there yet
		if fromEnd <= len(frame) && r.IntN(4) > 0 {
			word := &frame[len(frame)-fromEnd]
			*word = made
			if r.IntN(2) == 0 {
				*word, want = made&^markBit, Marked
			}
		}
		before, write := slices.Clone(frame), r.IntN(2) == 0
		after := slices.Clone(frame)
		if fromEnd <= len(frame) && write && after[len(frame)-fromEnd] == made {
			after[len(frame)-fromEnd] &^= markBit
		}
		if got := word.Look(memory(frame), write); got != want || !slices.Equal(frame, after) {
			t.Fatalf("%#x, word %d from the end: %d, %#x, want %d, %#x", before, fromEnd, got, frame, want, after)
		}
	}
}

// TestLearnElsewhere has words that are not in the frame of their function, which teach nothing.
func TestLearnElsewhere(t *testing.T) {
	frame := []U{1, 2, 3, fresh}
	for _, at := range []uintptr{25, 28, 32, 40, 1 << 20, ^uintptr(0), ^uintptr(7)} {
		word := ActivationWord{Fresh: fresh}
		if word.Learn(memory(frame), at); word != (ActivationWord{Fresh: fresh}) {
			t.Errorf("a word at %d of a frame of 32 bytes teaches %+v", at, word)
		}
	}
}

// TestBrief has functions without words. Of those of which no number is known, nothing is known.
func TestBrief(t *testing.T) {
	frame := []U{fresh, marked}
	word := ActivationWord{Fresh: fresh}
	word.LearnNone()
	if got := word.Look(memory(frame), true); got != Brief {
		t.Errorf("%d, want brief", got)
	}
	if got := new(ActivationWord).Look(memory(frame), true); got != Unknown {
		t.Errorf("%d, want unknown", got)
	}
	if !slices.Equal(frame, []U{fresh, marked}) {
		t.Errorf("%#x was written to", frame)
	}
}

// A callStack is the memory of a goroutine. It grows downwards, and what activations leave behind stays.
type callStack struct {
	random *rand.Rand
	words  []U
	sp     int
	frames []callFrame // outermost first
}

type callFrame struct {
	size int
	word int // the activation word's place from the end, 0 if there is none
	seen bool
}

// call makes an activation. The user's variables in it hold anything but what activation words hold.
func (s *callStack) call(size, word int) {
	s.sp -= size
	for i := range size {
		if s.random.IntN(2) == 0 { // others are not initialised yet
			s.words[s.sp+i] = s.random.Uint64() >> 1
		}
	}
	if word > 0 {
		s.words[s.sp+size-word] = fresh
	}
	s.frames = append(s.frames, callFrame{size: size, word: word})
}

func (s *callStack) ret() {
	last := len(s.frames) - 1
	s.sp += s.frames[last].size
	s.frames = s.frames[:last]
}

// step calls and returns: the function with words, and others, whose frames are of all sizes.
func (s *callStack) step() {
	for range s.random.IntN(6) {
		switch r := s.random.IntN(5); {
		case len(s.frames) > 0 && r < 3:
			s.ret()
		case s.sp < 32:
		case r == 3:
			s.call(markedSize, markedWord)
		default:
			s.call(1+s.random.IntN(20), 0)
		}
	}
}

// The frames of the function with words.
const (
	markedSize = 9 // in words
	markedWord = 3 // from the end
)

// users returns what of the stack is the user's: all but live activation words, and what dead ones have left.
func (s *callStack) users() []U {
	words := slices.Clone(s.words)
	for i, w := range words {
		if w == fresh || w == marked {
			words[i] = 0
		}
	}
	return words
}

// tick looks at all frames of the function with words. It returns how many there are, and for how many it was found out wrongly
// whether they are new.
func (s *callStack) tick(word *ActivationWord) (all, wrong int) {
	sp := s.sp
	for _, f := range slices.Backward(s.frames) {
		memory := memory(s.words[sp : sp+f.size])
		sp += f.size
		if f.word == 0 {
			continue
		}
		want := Unmarked
		if f.seen {
			want = Marked
		}
		if all++; word.Look(memory, true) != want {
			wrong++
		}
	}
	for i := range s.frames {
		s.frames[i].seen = true
	}
	return all, wrong
}

// TestMarks has a recursive function among others, with ticks in between. Every activation is new to one tick and old from then
// on. This is always found out if the place of the word is known. It is mostly found out if frames are searched, in which there
// is what others have left. Nothing that is the user's is written to.
func TestMarks(t *testing.T) {
	for _, learned := range []bool{false, true} {
		s := &callStack{random: rand.New(rand.NewPCG(7, 8)), words: make([]U, 1024)}
		s.sp = len(s.words)
		word := ActivationWord{Fresh: fresh}
		if learned {
			s.call(markedSize, markedWord)
			word.Learn(memory(s.words[s.sp:]), (markedSize-markedWord)*8)
		}
		all, wrong := 0, 0
		for tick := range 20_000 {
			s.step()
			users := s.users()
			n, w := s.tick(&word)
			if !slices.Equal(s.users(), users) {
				t.Fatalf("tick %d: the user's words were written to", tick)
			}
			all, wrong = all+n, wrong+w
		}
		t.Logf("learned %t: %d of %d activations wrong", learned, wrong, all)
		if all < 10_000 || learned && wrong > 0 || wrong > all/20 {
			t.Errorf("learned %t: %d of %d activations wrong", learned, wrong, all)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	frame := make([]U, 32)
	frame[20] = fresh
	word := ActivationWord{Fresh: fresh}
	for b.Loop() {
		word.Look(memory(frame), false)
	}
}
