package method

import "github.com/goprofinstr/goprofinstr/rt/rundata"

// An Account is what is known of how the counts of a profile came about that are kept in one way.
type Account struct {
	Samplings []*rundata.Sampling // of the runs that have them
	Streams   []*rundata.Stream

	Functions int  // that are counted so
	Rule      bool // the others are, too: all that do not say otherwise

	Samples, Ends int64 // of paths of these functions
}
