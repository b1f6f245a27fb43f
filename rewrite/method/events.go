package method

// An Event is how events other than paths, of one selector, are counted: what a rtevent.Selector has for it. The zero Event
// counts them all, and loses some under concurrency.
type Event struct {
	Key, Shift uint64 // of the stratum, if code in line samples them
	Rate       uint32 // one in so many is a message; 0 if all are counted
	Mode       uint32 // rtevent.Atomic if nothing is lost under concurrency
}
