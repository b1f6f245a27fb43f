package otlp

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

const (
	path = "/v1development/profiles"

	// The header that says of which development version the format is (opentelemetry-proto#857). The format of pdata
	// v1.68.0 is version 1, as is a request without it. Version 0.162.0 of the Collector ignores it.
	versionHeader = "OTLP-Profiles-Development-Version"
	version       = "1"

	scopeName   = "goprofinstr"
	tablesLabel = "goprofinstr.tables"
)

// encode returns a prepared batch as an ExportProfilesServiceRequest.
func encode(b push.Batch, scopeVersion string) ([]byte, error) {
	if b.Profile == nil || b.Profile.PeriodType == nil {
		return nil, errors.New("the batch is not prepared")
	}
	data := pprofile.NewProfiles()
	resource := data.ResourceProfiles().AppendEmpty()
	attributes := resource.Resource().Attributes()
	for _, name := range slices.Sorted(maps.Keys(b.Labels)) {
		attributes.PutStr(attributeName(name), b.Labels[name])
	}
	attributes.PutStr(tablesLabel, b.Tables)
	scope := resource.ScopeProfiles().AppendEmpty()
	scope.Scope().SetName(scopeName)
	scope.Scope().SetVersion(scopeVersion)
	d := newDictionary(data.Dictionary())
	for i := range b.Profile.SampleType {
		d.profile(scope.Profiles().AppendEmpty(), b, i)
	}
	scope.Profiles().RemoveIf(func(p pprofile.Profile) bool { return p.Samples().Len() == 0 }) // such as CPU time where none was sampled
	return (&pprofile.ProtoMarshaler{}).MarshalProfiles(data)
}

// attributeName returns OpenTelemetry's name of a label.
func attributeName(label string) string {
	if label == push.ServiceName {
		return "service.name"
	}
	return label
}

// partialSuccess returns how many profiles a server has rejected of those that it answers to, and why. The answer is an
// ExportProfilesServiceResponse, whose package links gRPC. One that is nothing of the kind rejects nothing.
//
//	response         1: partial success
//	partial success  1: number of rejected profiles, 2: message
func partialSuccess(answer []byte) (rejected uint64, message string) {
	for number, field := range fields(answer) {
		if number != 1 {
			continue
		}
		for number, field := range fields(field.bytes) {
			switch number {
			case 1:
				rejected = field.number
			case 2:
				message = string(field.bytes)
			}
		}
	}
	return rejected, message
}

// field is the value of a field of a message: a number or bytes.
type field struct {
	number uint64
	bytes  []byte
}

// fields yields the fields of a message with their numbers, until its end or what is no field of the two kinds.
func fields(message []byte) func(yield func(uint64, field) bool) {
	return func(yield func(uint64, field) bool) {
		for len(message) > 0 {
			tag, n := binary.Uvarint(message)
			if n <= 0 {
				return
			}
			value, m := binary.Uvarint(message[n:])
			if m <= 0 {
				return
			}
			message = message[n+m:]
			f := field{number: value}
			switch tag & 7 {
			case 0:
			case 2:
				if value > uint64(len(message)) {
					return
				}
				f.bytes, message = message[:value], message[value:]
			default:
				return
			}
			if !yield(tag>>3, f) {
				return
			}
		}
	}
}

// dictionary has what all profiles of a request share, each once. The entry 0 of each of its tables is empty, and stands for
// nothing.
type dictionary struct {
	pprofile.ProfilesDictionary
	strings    map[string]int32
	mappings   map[*profile.Mapping]int32
	functions  map[*profile.Function]int32
	locations  map[*profile.Location]int32
	stacks     map[string]int32
	attributes map[[2]string]int32
}

func newDictionary(d pprofile.ProfilesDictionary) *dictionary {
	d.MappingTable().AppendEmpty()
	d.LocationTable().AppendEmpty()
	d.FunctionTable().AppendEmpty()
	d.LinkTable().AppendEmpty()
	d.StringTable().Append("")
	d.AttributeTable().AppendEmpty()
	d.StackTable().AppendEmpty()
	return &dictionary{
		ProfilesDictionary: d,
		strings:            map[string]int32{"": 0},
		mappings:           map[*profile.Mapping]int32{nil: 0},
		functions:          map[*profile.Function]int32{nil: 0},
		locations:          make(map[*profile.Location]int32),
		stacks:             map[string]int32{"": 0},
		attributes:         make(map[[2]string]int32),
	}
}

// profile fills in the profile of one sample type.
func (d *dictionary) profile(out pprofile.Profile, b push.Batch, sampleType int) {
	d.valueType(out.SampleType(), b.Profile.SampleType[sampleType])
	d.valueType(out.PeriodType(), b.Profile.PeriodType)
	out.SetPeriod(b.Profile.Period)
	out.SetTime(pcommon.NewTimestampFromTime(b.Start))
	out.SetDurationNano(uint64(max(b.Duration, 0)))
	if b.ID != "" {
		hash := sha256.Sum256(fmt.Appendf(nil, "%s %d", b.ID, sampleType))
		out.SetProfileID(pprofile.ProfileID(hash[:16]))
	}
	for _, s := range b.Profile.Sample {
		if s.Value[sampleType] == 0 {
			continue
		}
		sample := out.Samples().AppendEmpty()
		sample.SetStackIndex(d.stack(s.Location))
		sample.Values().Append(s.Value[sampleType])
		for _, name := range slices.Sorted(maps.Keys(s.Label)) {
			for _, value := range s.Label[name] {
				sample.AttributeIndices().Append(d.attribute(name, value))
			}
		}
	}
}

func (d *dictionary) valueType(out pprofile.ValueType, t *profile.ValueType) {
	out.SetTypeStrindex(d.string(t.Type))
	out.SetUnitStrindex(d.string(t.Unit))
}

func (d *dictionary) string(s string) int32 {
	if i, ok := d.strings[s]; ok {
		return i
	}
	d.StringTable().Append(s)
	d.strings[s] = int32(d.StringTable().Len() - 1)
	return d.strings[s]
}

func (d *dictionary) stack(stack []*profile.Location) int32 {
	var key []byte
	indices := make([]int32, len(stack))
	for i, l := range stack {
		indices[i] = d.location(l)
		key = binary.LittleEndian.AppendUint32(key, uint32(indices[i]))
	}
	if i, ok := d.stacks[string(key)]; ok {
		return i
	}
	d.StackTable().AppendEmpty().LocationIndices().FromRaw(indices)
	d.stacks[string(key)] = int32(d.StackTable().Len() - 1)
	return d.stacks[string(key)]
}

func (d *dictionary) location(l *profile.Location) int32 {
	if i, ok := d.locations[l]; ok {
		return i
	}
	mapping := d.mapping(l.Mapping)
	out := d.LocationTable().AppendEmpty()
	out.SetMappingIndex(mapping)
	for _, line := range l.Line {
		to := out.Lines().AppendEmpty()
		to.SetFunctionIndex(d.function(line.Function))
		to.SetLine(line.Line)
	}
	d.locations[l] = int32(d.LocationTable().Len() - 1)
	return d.locations[l]
}

func (d *dictionary) mapping(m *profile.Mapping) int32 {
	if i, ok := d.mappings[m]; ok {
		return i
	}
	d.MappingTable().AppendEmpty().SetFilenameStrindex(d.string(m.File))
	d.mappings[m] = int32(d.MappingTable().Len() - 1)
	return d.mappings[m]
}

func (d *dictionary) function(f *profile.Function) int32 {
	if i, ok := d.functions[f]; ok {
		return i
	}
	out := d.FunctionTable().AppendEmpty()
	out.SetNameStrindex(d.string(f.Name))
	out.SetSystemNameStrindex(d.string(f.SystemName))
	out.SetFilenameStrindex(d.string(f.Filename))
	out.SetStartLine(f.StartLine)
	d.functions[f] = int32(d.FunctionTable().Len() - 1)
	return d.functions[f]
}

func (d *dictionary) attribute(name, value string) int32 {
	key := [2]string{name, value}
	if i, ok := d.attributes[key]; ok {
		return i
	}
	out := d.AttributeTable().AppendEmpty()
	out.SetKeyStrindex(d.string(name))
	out.Value().SetStr(value)
	d.attributes[key] = int32(d.AttributeTable().Len() - 1)
	return d.attributes[key]
}
