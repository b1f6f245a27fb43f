package event

const (
	NamesChunk = namesChunk
	MostNames  = mostNames
)

var (
	AddNames  = addNames
	WriteName = writeName
)

// NamesBytes returns what names have been charged.
func NamesBytes() U { return names.bytes }

// ForgetNames has there be no names.
func ForgetNames() { names.bytes, names.chunk = 0, nil }
