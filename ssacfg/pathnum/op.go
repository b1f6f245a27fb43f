package pathnum

import "fmt"

// Op is the code on one edge, executed in this order: Count, then Then.
// The zero Op is no code. Arithmetic is modulo 2^64: Inc and Value may stand
// for negative numbers, the index of a count never does.
type Op struct {
	Count CountKind
	Inc   uint64
	Then  ThenKind
	Value uint64
}

// CountKind says how the path that ends is counted.
type CountKind uint8

// The ways to count.
const (
	NoCount       CountKind = iota
	CountRegister           // count[r+Inc]++
	CountConst              // count[Inc]++
)

// ThenKind says what becomes of the path register.
type ThenKind uint8

// The changes of the register.
const (
	NoChange ThenKind = iota
	Add               // r += Value
	Set               // r = Value
)

// String returns the code as Go statements, or "" if there is none.
func (o Op) String() string {
	count, sep := "", ""
	switch inc := int64(o.Inc); {
	case o.Count == CountConst:
		count = fmt.Sprintf("count[%d]++", o.Inc)
	case o.Count == CountRegister && inc == 0:
		count = "count[r]++"
	case o.Count == CountRegister:
		count = fmt.Sprintf("count[r%+d]++", inc)
	}
	if count != "" && o.Then != NoChange {
		sep = "; "
	}
	switch value := int64(o.Value); {
	case o.Then == Set:
		return fmt.Sprintf("%s%sr = %d", count, sep, value)
	case o.Then == Add && value < 0:
		return fmt.Sprintf("%s%sr -= %d", count, sep, -o.Value)
	case o.Then == Add:
		return fmt.Sprintf("%s%sr += %d", count, sep, value)
	}
	return count
}
