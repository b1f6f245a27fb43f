package copies

// A ColdImage tells which functions begin cold: they run in their copies always, until they turn out not to be rare. The
// program that makes the copies fills it in. At Offset the file has the functions, in order of their copies and of their
// targets. Then come the runs, and then words, in order: the At, without Inlined, of targets that are in no other functions
// than those which begin cold. Such targets are counted exactly as long as none of their functions falls.
type ColdImage struct {
	Magic [2]U

	Offset    U // in the file
	Functions U
	Runs      U
	Exact     U
	Bound     U // how many records cold functions may have from tick to tick
	Flags     U // address of a byte for each function, 1 if it is cold: that of a page; 0 if nothing begins cold
	Counts    U // address of a word for each function, in pages behind the bytes: how often its counter was entered
}

// The first words of a ColdImage. They are nowhere else in a program's data.
const (
	ColdMagic0 = 0x91c7_4e0b_d3a8_265f
	ColdMagic1 = 0x6ef0_b815_3c72_d94a
)

// ColdWords is how many words a ColdImage has behind these.
const ColdWords = 7

// A ColdFunction may begin cold. Its number and 1 is in its sites, from FunctionShift on.
type ColdFunction struct {
	At      uint32 // address of the original, a multiple of 8
	Copy    uint32 // distance of the copy from the beginning of the code
	Size    uint32 // of the copy, bytes
	Target  uint32 // the first of its targets
	Targets uint32 // how many it has
	Counter uint32 // distance of code that counts entries, and goes on in the original; 0 if there is none
	Entry   U      // the first eight bytes of the original
}

// How many bytes a jump to a copy has, by architecture.
const (
	LeadSizeAMD64 = 5
	LeadSizeARM64 = 4
)

// A ColdRun is some pages of the text that have entries.
type ColdRun struct {
	At, Size U // address and bytes, both multiples of the page size
	Plain    U // where the file has these pages
	Led      U // where it has them with jumps to copies at the entries
}
