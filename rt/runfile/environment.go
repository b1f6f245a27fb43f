package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// What a process is told by environment variables, as they are when it starts.

// The variables.
const (
	dirVar        = "GOPROFINSTR_DIR"          // where run files go; [off] is for nowhere
	ArgsVar       = "GOPROFINSTR_ARGS"         // whether they have the command line: not if it is [noArgs] or [off]
	ServiceVar    = "OTEL_SERVICE_NAME"        // name of the service, as OpenTelemetry has it
	AttributesVar = "OTEL_RESOURCE_ATTRIBUTES" // what else is known of it: name=value, separated by commas
)

const (
	off    = "off"
	noArgs = "0"
)

// An environment has the values of the variables, "" of those that are not set.
type environment struct{ dir, args, service, attributes string }

// readEnvironment reads the variables with a function that returns the value of one.
//
//go:norace
func readEnvironment(get func(name string) string) environment {
	return environment{get(dirVar), get(ArgsVar), get(ServiceVar), get(AttributesVar)}
}

// withArgs reports whether the command line is recorded. It may have secrets.
//
//go:norace
func (e environment) withArgs() bool { return e.args != noArgs && e.args != off }

// maxLabels is how long the name of the service and its attributes may be, in bytes. What is longer is left out: an attribute
// that is cut off would be wrong.
const maxLabels = 1 << 10

// keepLabels writes down what service the process is of.
//
//go:norace
func keepLabels(e environment) {
	service, attributes := e.service, e.attributes
	if len(service) > maxLabels {
		service = ""
	}
	if len(service)+len(attributes) > maxLabels {
		attributes = ""
	}
	if service == "" && attributes == "" {
		return
	}
	const head = U(unsafe.Sizeof(LabelRecord{}))
	record, err := NewRecord(KindLabels, sys.RoundUp(head+U(len(service)+len(attributes)), Page))
	if record == nil || err != 0 {
		return
	}
	labels := (*LabelRecord)(unsafe.Pointer(record))
	labels.ServiceLen, labels.AttributesLen = U(len(service)), U(len(attributes))
	sys.PutText(unsafe.Add(unsafe.Pointer(record), head), service, attributes)
	record.Publish()
}
