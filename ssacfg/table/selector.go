package table

// A Selector is a place in a function whose events are counted besides paths. An event is control coming there, with a value. The
// term is that of Sastry, Bodík & Smith, "Rapid profiling via stratified sampling", section 2. The values are in a hash table.
type Selector struct {
	Kind     EventKind
	Hash     int    // hash table in the package; -1 if Declined
	Line     int    // of the source, as are those of blocks
	Col      int    // that of the parenthesis of a call
	Offset   int    // from the line where the function starts on, both as line directives have them
	Text     string // what is called or looked at, as it is in the source, or cut short
	Header   int    `json:",omitempty"` // Trips: id of the loop's header
	Declined string `json:",omitempty"` // why it is not counted

	// Sites tell, all together, how often a call is executed. The executions of one of its targets, which is elected at run time,
	// are known from the sites only. nil if all are counted.
	Sites []Site `json:",omitempty"`
}

// EventKind says what the values of events are.
type EventKind string

// The kinds of events.
const (
	Calls   EventKind = "calls"   // the function that is called by an interface's method or a function value
	Trips   EventKind = "trips"   // how often control has come back to the header of a loop when it leaves
	Numbers EventKind = "numbers" // an integer, a boolean or a length, as zigzag has it (encoding/binary.PutVarint)
	Texts   EventKind = "texts"   // a string
)

// Named tells that values have names in the run: those of functions, and strings.
func (k EventKind) Named() bool { return k == Calls || k == Texts }

// Zigzag returns the value of a number.
func Zigzag(n int64) uint64 { return uint64(n)<<1 ^ uint64(n>>63) }

// Number is the inverse of Zigzag.
func Number(value uint64) int64 { return int64(value>>1) ^ -int64(value&1) }
