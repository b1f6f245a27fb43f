package copies

import "github.com/goprofinstr/goprofinstr/rt/sys"

// found has the last answers to a question about numbers, each at a place that depends on the number. All threads use it at once,
// and signal handlers.
type found [1 << foundBits]answer

const foundBits = 9

// An answer has the number in its upper half and what was found in the lower one. That is never 0, which stands for no answer.
type answer U

// at returns where the answer about a number is.
//
//go:norace
func (f *found) at(number uint32) *answer { return &f[number*0x9e37_79b9>>(32-foundBits)] }

// of returns what was found about a number, if that is known.
//
//go:norace
func (a *answer) of(number uint32) (result uint32, known bool) {
	was := sys.Load64((*U)(a))
	result = uint32(was)
	return result, result != 0 && uint32(was>>32) == number
}

// note remembers what was found about a number.
//
//go:norace
func (a *answer) note(number, result uint32) { sys.Store64((*U)(a), U(number)<<32|U(result)) }
