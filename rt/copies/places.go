package copies

// Places say which instruction of the original a part of the code stands for, and where in the code an instruction is. Most
// code advances as the original does, so that parts are coded by their differences, about a byte each. Offsets are from the
// beginning of the code. Nothing is allocated, and Places may be used in signal handlers.
//
// The stream has a token for each part. Tokens up to 0x7f are parts of 1 to 128 bytes in which code and original advance alike,
// and each instruction is an entrance. Tokens from 0x80 to 0x9f have
//
//	bits 0 and 1  the kind
//	DeltaToken    a number follows: how far At is from where the part before has led
//	EntryToken    threads may enter there
//	AlikeToken    code and original advance alike
//
// and the number of bytes follows. Numbers have 7 bits in a byte, the lowest first. Others are parts of [Usual] forms, and
// EndToken ends a function.
type Places struct {
	Functions []Span  // in order of Lo
	Blocks    []Block // in order of Copy
	Stream    []byte
}

// A Span is a function that has a copy.
type Span struct {
	Lo, Hi uint32 // of the original
	Block  uint32 // with which the copy begins
}

// A Block is where decoding may begin: at the beginning of a function, and at each BlockTokens tokens.
type Block struct {
	Copy  uint32 // offset in the code
	At    uint32 // address of the original, as the part before has led to it
	Token uint32 // in the stream, and Behind
}

// Behind is in the token of a block behind which no thread enters: code there is in no order of At.
const Behind = 1 << 31

// BlockTokens is how many tokens a block has at most: all of them are decoded on the way to the last.
const BlockTokens = 64

// The tokens.
const (
	LongToken  = 0x80 // where those begin that have numbers
	DeltaToken = 0x04
	EntryToken = 0x08
	AlikeToken = 0x10
	UsualToken = 0xa0 // where usual parts begin
	EndToken   = 0xff
)

// A Part is some code of a copy.
type Part struct {
	Copy, At uint32
	Size     uint32
	Kind     uint32
	Entry    bool   // threads may enter here: at the instruction, or where a call returns to
	Alike    bool   // its instructions advance as those of the original from At on
	Advance  uint32 // how far it leads in the original
}

// Usual are parts with a token of their own.
var Usual = [...]Part{
	{Kind: Instruction, Size: 6, Advance: 2, Entry: true}, // a conditional jump that was short
	{Kind: Leading, Size: 5, Advance: 2},                  // a short jump
	{Kind: Leading, Size: 5, Advance: 5},                  // a long one, or one to a call that does not return
	{Kind: Leading, Size: 16, Entry: true},                // a test whether the burst is over
	{Kind: Noting, Size: 49},                              // a record

	// On arm64:
	{Kind: Instruction, Size: 8, Advance: 4, Entry: true}, // a conditional jump
	{Kind: Leading, Size: 4, Advance: 4},                  // a jump
	{Kind: Noting, Size: 44},                              // a record
}

// A Walk goes through the parts of a function.
type Walk struct {
	places *Places
	token  uint32
	copied uint32
	at     uint32
}

// From returns a walk that begins with a block.
//
//go:norace
func (p *Places) From(block int) Walk {
	b := &p.Blocks[block]
	return Walk{p, b.Token &^ Behind, b.Copy, b.At}
}

// Next returns the next part, or false at the end of the function.
//
//go:norace
func (w *Walk) Next() (x Part, ok bool) {
	b := w.places.Stream[w.token]
	w.token++
	switch {
	case b == EndToken:
		return x, false
	case b < LongToken:
		x = Part{Size: uint32(b) + 1, Entry: true, Alike: true}
	case b < UsualToken:
		x = Part{Kind: uint32(b & 3), Entry: b&EntryToken != 0, Alike: b&AlikeToken != 0}
		if b&DeltaToken != 0 {
			d := w.number()
			w.at += d>>1 ^ -(d & 1)
		}
		x.Size = w.number()
	default:
		x = Usual[b-UsualToken]
	}
	x.Copy, x.At = w.copied, w.at
	if x.Alike {
		x.Advance = x.Size
	}
	w.copied += x.Size
	w.at += x.Advance
	return x, true
}

//go:norace
func (w *Walk) number() (n uint32) {
	for shift := 0; ; shift += 7 {
		b := w.places.Stream[w.token]
		w.token++
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// Origin returns the part that an offset is in, and the address that the code there stands for.
//
//go:norace
func (p *Places) Origin(offset uint32) (x Part, at uint32) {
	lo, hi := 0, len(p.Blocks) // what is looked for is in front of hi
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) / 2); p.Blocks[mid].Copy <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	w := p.From(lo)
	for {
		next, ok := w.Next()
		if !ok {
			break
		}
		x = next
		if offset-x.Copy < x.Size {
			break
		}
	}
	if x.Alike {
		return x, x.At + offset - x.Copy
	}
	return x, x.At
}

// Entrance returns where in the code a thread may go on that is at an instruction, if there is such a place. That is in front
// of the record with which a function begins.
//
//go:norace
func (p *Places) Entrance(at uint32) (offset uint32, ok bool) {
	s := p.span(at)
	if s == nil {
		return 0, false
	}
	if at == s.Lo {
		return p.Blocks[s.Block].Copy, true
	}
	return p.enter(s, Instruction, at)
}

// Return returns where in the code a call of the original returns to, if there is such a place.
//
//go:norace
func (p *Places) Return(at uint32) (offset uint32, ok bool) {
	s := p.span(at)
	if s == nil {
		return 0, false
	}
	return p.enter(s, Leading, at)
}

// enter looks for the part of a kind where threads may enter at an address. It begins with the block that it is most likely in.
//
//go:norace
func (p *Places) enter(s *Span, kind, at uint32) (offset uint32, ok bool) {
	first := int(s.Block)
	k := first
	for k+1 < len(p.Blocks) {
		next := &p.Blocks[k+1]
		if next.Token&Behind != 0 || next.At <= s.Lo || next.At >= s.Hi || next.At > at {
			break
		}
		k++
	}
	if offset, ok = p.enterFrom(k, kind, at); !ok && k > first {
		offset, ok = p.enterFrom(first, kind, at)
	}
	return offset, ok
}

//go:norace
func (p *Places) enterFrom(block int, kind, at uint32) (offset uint32, ok bool) {
	w := p.From(block)
	for {
		x, ok := w.Next()
		switch {
		case !ok:
			return 0, false
		case x.Kind != kind || !x.Entry:
		case x.Alike && at-x.At < x.Size:
			return x.Copy + at - x.At, true
		case at == x.At:
			return x.Copy, true
		}
	}
}

// span returns the function that an address is in, nil if it has no copy.
//
//go:norace
func (p *Places) span(at uint32) *Span {
	lo, hi := 0, len(p.Functions)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); p.Functions[mid].Hi <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(p.Functions) || p.Functions[lo].Lo > at {
		return nil
	}
	return &p.Functions[lo]
}
