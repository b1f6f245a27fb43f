// Package wire has the messages between a host and the agent of its emulated machine. Each side sends them in turns, by
// encoding/gob.
package wire

import "github.com/goprofinstr/goprofinstr/integration/internal/tracer"

// Port is the name of the serial line.
const Port = "goprofinstr"

// A Kind says what the host asks for.
type Kind int

// What the host asks for. Behind Run all are about the program that is traced, whose threads stand still.
const (
	Put Kind = iota // write a file
	Run             // run a program; the reply is its end, or that it has begun if it is traced
	Go              // let the program go on, up to the next breakpoint or its end
	Read
	Write
	Arm
	Keep
	Drop
	Vector
	Note // have breakpoints that stay, and note the threads that come there without the host
)

// A Request is what the host asks for.
type Request struct {
	Kind Kind

	Path string // of Put and Run
	Data []byte // of Put and Write
	Mode uint32 // of Put

	Args, Env []string // of Run
	Dir       string
	Dirs      []string // there have to be
	Back      string   // the folder whose files are sent back, but programs
	Traced    bool

	At     uint64   // of Read, Write, Keep and Drop
	Size   int      // of Read; of Note, how often each breakpoint stops a thread at most
	List   []uint64 // of Arm and Note
	Sets   []uint32 // of Note: the vector registers that are noted there, a bit for each
	Thread int      // of Vector
	Number int      // of Vector: the register

	Signal tracer.Signal // of Go
	Failed string        // of Go: the program is to end, for that reason
}

// A Reply answers a request.
type Reply struct {
	Failed    string // why it could not be done, or how the program has ended
	Data      []byte // of Read; of a program that has ended, its output
	Low, High uint64
	Thread    *tracer.Thread // has come to a breakpoint
	Ended     bool
	Files     []File
	Notes     []Noted // of a program that has ended
}

// Noted is what is known of a thread that has come to a breakpoint.
type Noted struct {
	Thread    tracer.Thread
	Vectors   [32][2]uint64
	Goroutine []byte // the beginning of package runtime's g
}

// A File is one that a program has written.
type File struct {
	Path string
	Data []byte
}
