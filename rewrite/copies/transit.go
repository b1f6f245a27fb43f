package copies

import (
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rt"
)

// Transit returns the functions of a program, by address, whose copies count nothing and are worth while all the same: a thread
// that is in copies stays there on its way to what is counted. These are functions that call through registers, that call what
// is counted, or that call such functions.
//
// Not among them are package runtime and what is below it, system calls, our own packages, and assembly. Three kinds of these
// are: what calls functions by reflection, what calls functions deferred in loops, and what coroutines begin with.
func Transit(im *machine.Image, counted func(*machine.Function) bool) ([]*machine.Function, error) {
	all, err := im.Text()
	if err != nil {
		return nil, err
	}
	callers := make(map[uint64][]*machine.Function)
	leads := make(map[*machine.Function]bool)
	var work []*machine.Function
	add := func(f *machine.Function) {
		if !leads[f] {
			leads[f] = true
			work = append(work, f)
		}
	}
	for _, f := range all {
		if counted(f) {
			add(f)
			continue
		}
		if !mayTransit(f) {
			continue
		}
		to, indirect, err := im.Calls(f)
		if err != nil {
			continue // it cannot be copied
		}
		for _, a := range to {
			callers[a] = append(callers[a], f)
		}
		if indirect || callsBack.MatchString(f.Name) {
			add(f)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[f.Lo] {
			add(c)
		}
	}
	var list []*machine.Function
	for _, f := range all {
		if leads[f] && !counted(f) {
			list = append(list, f)
		}
	}
	return list, nil
}

// callsBack matches functions of the runtime and of assembly that call what they are given, on the goroutine's stack.
var callsBack = regexp.MustCompile(
	`^(runtime\.(reflectcall|call\d+|deferreturn|corostart)|reflect\.(makeFuncStub|methodValueCall))(\.abi0)?$`)

// mayTransit reports whether a function may have a copy that counts nothing.
func mayTransit(f *machine.Function) bool {
	if callsBack.MatchString(f.Name) {
		return true
	}
	if f.Assembly {
		return false
	}
	for _, path := range []string{"runtime", "syscall"} {
		if f.Package == path {
			return false
		}
	}
	for _, folder := range []string{"internal/runtime/", "internal/syscall/", rt.ImportPath + "/"} {
		if strings.HasPrefix(f.Package+"/", folder) {
			return false
		}
	}
	return f.Package != ""
}
