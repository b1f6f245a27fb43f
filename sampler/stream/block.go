package stream

// Block selects one event, drawn evenly, of each r that follow each other. STRAT has no such sampler. Like P_r it knows how many
// events there have been, and the count of each message is r. But it has no period that a program could have, too. Whatever the
// stream, every event has the probability 1/r to be selected. A number is drawn for each message.
type Block struct {
	rate   uint32
	left   uint32 // events until the next that is selected
	after  uint32 // events of its block that come after it
	source *Source
}

// NewBlock returns B_r. The source may be that of others, too.
func NewBlock(rate uint32, source *Source) *Block {
	left := 1 + source.Below(rate)
	return &Block{rate, left, rate - left, source}
}

// Event takes the next event. The count of a message is r.
//
//go:norace
func (b *Block) Event(t Tuple) (Tuple, uint64) {
	b.left--
	if b.left != 0 {
		return none()
	}
	place := 1 + b.source.Below(b.rate) // in the next block
	b.left, b.after = b.after+place, b.rate-place
	return t, uint64(b.rate)
}

// Held returns how many events there have been since the last block that had its message. If this block has had its message, its
// events that are still to come are taken off.
func (b *Block) Held() (events int64, exact bool) {
	return int64(b.rate) - int64(b.left) - int64(b.after), true
}
