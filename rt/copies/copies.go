//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Where copies are mapped, and how threads change over.

// image is filled in by the program that makes the copies.
var image = Image{Magic: [2]U{ImageMagic0, ImageMagic1}}

var program struct {
	from, to  uintptr // of the code
	places    Places
	decoder   pathlog.Decoder
	stats     *Stats
	busy      U // 1 while a thread decodes, or has a burst
	moved     []pathlog.Frame
	uncounted []Uncounted
	fates     []byte // 1 for functions that were cold to the end
}

// use has package runtime know of the copies. Phase tells it whether a thread may be in a window, or in a burst.
//
//go:linkname use
func use(from, to uintptr, original func(pc uintptr) uintptr,
	signal func(value uintptr, at unsafe.Pointer) bool, fault func(at unsafe.Pointer) (again bool),
	runs, switched func(), moved func(to, from, size uintptr), ended, flush func(), phase *uint8)

// inBurst is for programs whose threads may be in bursts at any time.
var inBurst uint8 = 1

// useWords has package runtime know where the words of threads are: see Image.Words.
//
//go:linkname useWords
func useWords(second uintptr)

// useCold has threads that are in no window, and whose logs have been decoded, change goroutines without a call of switched.
//
//go:linkname useCold
func useCold()

// mapImage maps the image in the program's file, and has package runtime know of it. It returns why that could not be done, "" if
// it could.
func mapImage() (why string) {
	im := &image
	if runtime.GoprofinstrCgo() != (im.Words != 0) {
		return "they are not made for its threads"
	}
	useWords(uintptr(im.Words))
	useCallbacks(callback)
	const read, exec = 1, 1 | 4
	const private, there = 2, 0x100000 // MAP_FIXED_NOREPLACE
	tables := (im.Functions+im.Blocks)*12 + im.Stream +
		im.Sites*pathlog.SiteSize + im.Ops*pathlog.OpSize + im.Steps*pathlog.StepSize + im.Targets*pathlog.TargetSize +
		im.Looks*pathlog.LookSize + im.Cases*pathlog.CaseSize + im.Ways*pathlog.WaySize + im.Uncounted*16 + im.Name
	fd, err := sys.Open("/proc/self/exe\x00", 0x80000) // O_RDONLY|O_CLOEXEC
	if err != 0 {
		return "opening the program's own file: " + err.Text()
	}
	defer sys.CloseFile(fd)
	if size, err := sys.SizeOf(fd); err != 0 || size < im.Offset+im.Code+tables {
		return "strip has taken them from the program's file, as the linker's -s would not"
	}
	code, err := sys.MmapAs(uintptr(im.Base), im.Code, exec, private|there, fd, im.Offset)
	switch {
	case err == sys.Exists || err == 0 && code != uintptr(im.Base): // before Linux 4.17 they are mapped elsewhere then
		return "something else is mapped where they have to be"
	case err != 0:
		return "mapping them: " + err.Text()
	}
	at, err := sys.MmapAs(0, tables, read, private, fd, im.Offset+im.Code)
	if err != 0 {
		return "mapping their tables: " + err.Text()
	}
	if why := useTables(at); why != "" {
		return why
	}
	p := &program
	p.from, p.to = code, code+uintptr(im.Code)
	setProcess()
	useHandlers(im.Mode)
	if im.Mode == Cold || im.Mode == Sampled {
		return startCold(fd)
	}
	return ""
}

// useTables takes the tables of copies from where they are mapped. They follow each other in the order of the reads here.
func useTables(at uintptr) (why string) {
	im := &image
	next := func(n, size U) unsafe.Pointer {
		p := sys.Pointer(at)
		at += uintptr(n * size)
		return p
	}
	p := &program
	p.places.Functions = unsafe.Slice((*Span)(next(im.Functions, 12)), int(im.Functions))
	p.places.Blocks = unsafe.Slice((*Block)(next(im.Blocks, 12)), int(im.Blocks))
	p.places.Stream = unsafe.Slice((*byte)(next(im.Stream, 1)), int(im.Stream))
	d := &p.decoder
	d.Sites = unsafe.Slice((*pathlog.Site)(next(im.Sites, pathlog.SiteSize)), int(im.Sites))
	d.Ops = unsafe.Slice((*pathlog.Op)(next(im.Ops, 24)), int(im.Ops))
	d.Steps = unsafe.Slice((*pathlog.Step)(next(im.Steps, pathlog.StepSize)), int(im.Steps))
	d.Targets = unsafe.Slice((*pathlog.Target)(next(im.Targets, 16)), int(im.Targets))
	d.Looks = unsafe.Slice((*pathlog.Look)(next(im.Looks, pathlog.LookSize)), int(im.Looks))
	d.Cases = unsafe.Slice((*pathlog.Case)(next(im.Cases, 40)), int(im.Cases))
	d.Ways = unsafe.Slice((*pathlog.Way)(next(im.Ways, 24)), int(im.Ways))
	p.uncounted = unsafe.Slice((*Uncounted)(next(im.Uncounted, 16)), int(im.Uncounted))
	return mapCounters(string(unsafe.Slice((*byte)(next(im.Name, 1)), int(im.Name))))
}

// useHandlers says what the runtime calls where copies are concerned.
func useHandlers(mode U) {
	p := &program
	switch mode {
	case Sampled:
		use(p.from, p.to, original, noSignal, windowFault, windowRuns, windowSwitched, windowMoved, windowEnded, flush,
			&window.phase)
	case Always:
		use(p.from, p.to, original, signal, fault, begin, switched, moved, ended, flush, &inBurst)
	default:
		use(p.from, p.to, original, signal, fault, nil, switched, moved, ended, flush, &inBurst)
	}
}

// states is how many states a decoder has room for: of windows, of bursts, and where no burst ends. Where stacks are copied,
// those in use are looked at.
const (
	statesWindow = 1 << 12
	states       = 1 << 16
	statesAlways = 1 << 21

	// statesOfFrame is how many of these there are for an activation.
	statesOfFrame = 4
)

// mapCounters maps the counters, shared with a file if that has a name, and what is needed for counting.
func mapCounters(name string) (why string) {
	p := &program
	size := sys.RoundUp(StatsSize+(image.Counters+image.Doubts)*8+coldImage.Functions, runfile.Page)
	var counters unsafe.Pointer
	var err sys.Errno
	if name == "" {
		counters, err = sys.MmapPrivate(size)
	} else {
		var fd uintptr
		if fd, err = sys.Open(name, 0x80002); err == 0 { // O_RDWR|O_CLOEXEC
			counters, err = sys.MapShared(0, size, fd, 0)
			sys.CloseFile(fd)
		}
	}
	room := states
	switch image.Mode {
	case Always:
		room = statesAlways
	case Sampled:
		room = statesWindow
	}
	if err != 0 {
		return "mapping their counters: " + err.Text()
	}
	moved := newTables(&p.decoder, room)
	if moved == nil {
		return "there is no memory for their counters"
	}
	setSlice(unsafe.Pointer(&p.moved), moved, len(p.decoder.Frames))
	p.stats = (*Stats)(counters)
	all := unsafe.Slice((*U)(unsafe.Add(counters, StatsSize)), int(image.Counters+image.Doubts))
	p.decoder.Counters, p.decoder.Doubts = all[:image.Counters], all[image.Counters:]
	p.fates = unsafe.Slice((*byte)(unsafe.Add(counters, StatsSize+uintptr(image.Counters+image.Doubts)*8)), int(coldImage.Functions))
	p.decoder.Forget()
	return ""
}

// newTables gives a decoder tables with room for some states, and maps one for Move, which it returns; nil if there is no memory.
//
//go:norace
func newTables(d *pathlog.Decoder, room int) (moved unsafe.Pointer) {
	const state, frame = unsafe.Sizeof(pathlog.State{}), unsafe.Sizeof(pathlog.Frame{})
	frames := room / statesOfFrame
	p, err := sys.MmapPrivate(U(room)*U(state) + 2*U(frames)*U(frame))
	if err != 0 {
		return nil
	}
	setSlice(unsafe.Pointer(&d.States), p, room)
	setSlice(unsafe.Pointer(&d.Frames), unsafe.Add(p, uintptr(room)*state), frames)
	return unsafe.Add(p, uintptr(room)*state+uintptr(frames)*frame)
}

// setSlice sets a slice to memory that is not in the heap, without a write barrier: a signal may have interrupted one.
//
//go:norace
func setSlice(slice, p unsafe.Pointer, n int) {
	*(*[3]uintptr)(slice) = [3]uintptr{uintptr(p), uintptr(n), uintptr(n)}
}

// dropTables unmaps the tables of a decoder.
//
//go:norace
func dropTables(d *pathlog.Decoder) {
	const state, frame = unsafe.Sizeof(pathlog.State{}), unsafe.Sizeof(pathlog.Frame{})
	sys.Munmap(unsafe.Pointer(unsafe.SliceData(d.States)), U(len(d.States))*U(state)+2*U(len(d.Frames))*U(frame))
}

// returnTo returns the copy of where a call returns to, 0 if it has none.
//
//go:norace
func returnTo(pc uintptr) uintptr {
	known := returnsTo.at(uint32(pc))
	if offset, ok := known.of(uint32(pc)); ok {
		return copyAt(offset, true, pc)
	}
	offset, ok := program.places.Return(uint32(pc))
	if ok {
		known.note(uint32(pc), offset)
	}
	return copyAt(offset, ok, pc)
}

// entrance returns the copy of an instruction, 0 if a thread may not enter there.
//
//go:norace
func entrance(pc uintptr) uintptr {
	offset, ok := program.places.Entrance(uint32(pc))
	return copyAt(offset, ok, pc)
}

//go:norace
func copyAt(offset uint32, ok bool, pc uintptr) uintptr {
	if !ok || pc > AddressMask {
		return 0
	}
	return program.from + uintptr(offset)
}

// original returns the instruction of the original that an address in the copies stands for.
//
//go:norace
func original(pc uintptr) uintptr {
	offset := uint32(pc - program.from)
	known := originals.at(offset)
	if at, ok := known.of(offset); ok {
		return uintptr(at)
	}
	_, at, _ := origin(pc)
	known.note(offset, uint32(at))
	return at
}

// Frames that return to copies do so long after their window. Whoever unwinds a stack finds these addresses again and again: the
// program's own profile of its heap, and its garbage collector.
var originals, returnsTo found

// origin returns where the part of the copies begins that has an address, the instruction of the original that it stands for,
// and the kind of code.
//
//go:norace
func origin(pc uintptr) (begin, original uintptr, kind uint32) {
	x, at := program.places.Origin(uint32(pc - program.from))
	return program.from + uintptr(x.Copy), uintptr(at), x.Kind
}
