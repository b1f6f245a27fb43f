package rundata

import (
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Words of records, for tests that change one.
const (
	headerMagic   = int(unsafe.Offsetof(runfile.Header{}.Magic) / 8)
	headerVersion = int(unsafe.Offsetof(runfile.Header{}.Version) / 8)
	headerPage    = int(unsafe.Offsetof(runfile.Header{}.Page) / 8)
	headerPid     = int(unsafe.Offsetof(runfile.Header{}.Pid) / 8)
	headerArgsLen = int(unsafe.Offsetof(runfile.Header{}.ArgsLen) / 8)

	headMagic      = int(unsafe.Offsetof(runfile.Head{}.Magic) / 8)
	headKind       = int(unsafe.Offsetof(runfile.Head{}.Kind) / 8)
	headSize       = int(unsafe.Offsetof(runfile.Head{}.Size) / 8)
	headRegion     = int(unsafe.Offsetof(runfile.Head{}.Region) / 8)
	headRegionSize = int(unsafe.Offsetof(runfile.Head{}.RegionSize) / 8)

	shardAddress = int(unsafe.Offsetof(runfile.ShardRecord{}.Address) / 8)

	packageFirst    = int(unsafe.Offsetof(runfile.PackageRecord{}.First) / 8)
	packageCounters = int(unsafe.Offsetof(runfile.PackageRecord{}.Counters) / 8)
	packagePathLen  = int(unsafe.Offsetof(runfile.PackageRecord{}.PathLen) / 8)
	packageTableLen = int(unsafe.Offsetof(runfile.PackageRecord{}.TableLen) / 8)
	packageHashes   = int(unsafe.Offsetof(runfile.PackageRecord{}.Hashes) / 8)

	hashAddress = int(unsafe.Offsetof(runfile.HashRecord{}.Hash) / 8)
	hashEntries = int(unsafe.Offsetof(runfile.HashRecord{}.Entries) / 8)
	hashBegins  = int(unsafe.Sizeof(runfile.HashRecord{}) / 8)

	samplingStride = int(unsafe.Offsetof(runfile.SamplingRecord{}.Stride) / 8)

	chunkNumber = int(unsafe.Offsetof(runfile.ContextRecord{}.Chunk) / 8)

	siteNumber = int(unsafe.Offsetof(runfile.SiteRecord{}.Number) / 8)
	sitesBegin = int(unsafe.Sizeof(runfile.SiteRecord{}) / 8)
	siteWords  = int(unsafe.Sizeof(runfile.Site{}) / 8)
	testsBegin = int(unsafe.Sizeof(runfile.TestRecord{}) / 8)
	namesBegin = int(unsafe.Sizeof(runfile.NamesRecord{}) / 8)
	sitePath   = int(unsafe.Offsetof(runfile.Site{}.Path) / 8)

	auditVersions = int(unsafe.Offsetof(runfile.AuditRecord{}.Versions) / 8)
	auditNamesLen = int(unsafe.Offsetof(runfile.AuditRecord{}.NamesLen) / 8)
	auditSlots    = int(unsafe.Offsetof(runfile.AuditRecord{}.Slots) / 8)
	auditLeast    = int(unsafe.Offsetof(runfile.AuditRecord{}.Least) / 8)
	auditTicks1   = int(unsafe.Offsetof(runfile.AuditRecord{}.Ticks1) / 8)
	auditNanos1   = int(unsafe.Offsetof(runfile.AuditRecord{}.Nanos1) / 8)
	auditTaken    = int(unsafe.Offsetof(runfile.AuditRecord{}.Taken) / 8)
	auditNames    = int(unsafe.Sizeof(runfile.AuditRecord{}) / 8)

	logLength    = int(unsafe.Offsetof(runfile.LogRecord{}.Length) / 8)
	labelService = int(unsafe.Offsetof(runfile.LabelRecord{}.ServiceLen) / 8)

	streamRate    = int(unsafe.Offsetof(runfile.StreamRecord{}.Rate) / 8)
	streamBits    = int(unsafe.Offsetof(runfile.StreamRecord{}.Bits) / 8)
	streamAddress = int(unsafe.Offsetof(runfile.StreamRecord{}.Address) / 8)
	streamSpecLen = int(unsafe.Offsetof(runfile.StreamRecord{}.SpecLen) / 8)
	streamSpec    = int(unsafe.Sizeof(runfile.StreamRecord{}) / 8)
)

// TestTreeChanges compares where package pcct counts the changes of a tree with where they are read.
func TestTreeChanges(t *testing.T) {
	if at := unsafe.Offsetof(runfile.ContextRecord{}.Changes); at != pcct.HeadChanges*8 {
		t.Errorf("changes are read at %d and written at %d", at, pcct.HeadChanges*8)
	}
}
