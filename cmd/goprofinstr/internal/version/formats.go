package version

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/selection"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Format is one of files, or of JSON for other programs.
type Format struct {
	Name   string `json:"name"`
	Writes int    `json:"writes"`          // version
	Reads  int    `json:"reads,omitempty"` // the oldest version that is read, 0 for what is only written
}

// formats are all that the promise in docs/reference/compatibility.md is about.
var formats = []Format{
	{"run file (run.*.gpi)", runfile.Version, rundata.Oldest},
	{"path table", table.Version, table.Version},
	{"manifest (goprofinstr.json)", profiledir.ManifestVersion, profiledir.ManifestVersion},
	{"record of coverage (cover.json)", coverprofile.PlanVersion, coverprofile.PlanVersion},
	{"archive object", object.Version, object.Oldest},
	{"JSON of audit (audit.json)", audit.JSONVersion, audit.JSONVersion},
	{"JSON of report", report.JSONVersion, 0},
	{"JSON of check", gate.JSONVersion, 0},
	{"JSON of diff", compare.JSONVersion, 0},
	{"JSON of export", export.JSONVersion, 0},
	{"JSON of export -format markers", export.MarkersVersion, 0},
	{"JSON of select", selection.JSONVersion, 0},
	{"JSON of version", JSONVersion, 0},
}

// versions says which are written and read.
func (f *Format) versions() string {
	switch {
	case f.Reads == 0:
		return fmt.Sprintf("version %d", f.Writes)
	case f.Reads < f.Writes:
		return fmt.Sprintf("version %d, reads %d to %d", f.Writes, f.Reads, f.Writes)
	}
	return fmt.Sprintf("version %d, reads %d", f.Writes, f.Reads)
}
