package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Directory is a profile directory whose runs are put into an archive.
type Directory struct {
	Path    string
	Host    string // that the runs are told apart by
	Service string // of runs that do not say it

	// Labels are names of labels that are kept, as in OTEL_RESOURCE_ATTRIBUTES; none means some that say what a process is, and
	// not which one.
	Labels []string
}

// ErrDirectory is wrapped by errors of AddDirectory for what is no profile directory. Nothing of it is put then.
var ErrDirectory = errors.New("profile directory")

// AddDirectory puts what the runs of a profile directory have counted until now into the archive. It also puts the tables of
// packages that none of them had: their code was not executed. AddDirectory returns how many runs there are. What cannot be
// read is left out and listed. It reads one run at a time.
func (a *Archive) AddDirectory(ctx context.Context, d Directory) (runs int, damaged []profile.Damage, err error) {
	dir := profiledir.Current(d.Path)
	names, err := profiledir.Runs(dir)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrDirectory, err)
	}
	add := adder{archive: a, dir: d, linked: make(map[[sha256.Size]byte]bool)}
	if m, err := profiledir.ReadManifest(dir); err == nil && m != nil {
		if m.Mode == profiledir.AuditMode {
			return 0, nil, fmt.Errorf("%w: %s is an audit, and not a profile", ErrDirectory, d.Path)
		}
		add.root = m.Root
	}
	for _, name := range names {
		switch err := add.run(ctx, name); {
		case errors.Is(err, rundata.ErrEmpty): // its process was killed before it executed any code that counts
		case errors.Is(err, errUnread):
			damaged = append(damaged, profile.Damage{Part: profile.RunFile, Name: filepath.Base(name), Reason: add.reason(err, name)})
		case err != nil:
			return runs, damaged, err
		default:
			runs++
		}
	}
	more, err := add.unlinked(ctx, dir)
	return runs, append(damaged, more...), err
}

// An adder puts the runs of a directory into an archive.
type adder struct {
	archive *Archive
	dir     Directory
	root    string // of runs that do not tell theirs, as those with -trimpath
	tables  profile.Tables
	linked  map[[sha256.Size]byte]bool // tables of runs
	first   Run                        // that started first
}

// errUnread is wrapped by errors that are about one run file.
var errUnread = errors.New("run file")

func (*adder) reason(err error, name string) string {
	text := strings.TrimPrefix(err.Error(), errUnread.Error()+": ")
	return strings.TrimPrefix(text, name+": ")
}

// run puts a run into the archive.
func (add *adder) run(ctx context.Context, name string) error {
	run, err := rundata.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	t, err := tally.OfAny(run, &add.tables)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	r := Run{
		Host: add.dir.Host, Name: NameOf(name), Start: run.Start,
		Service: cmp.Or(labels.ToldService(run), add.dir.Service), Final: !run.Alive, Root: cmp.Or(run.Root, add.root), Tally: t,
		Attributes: labels.Parse(run.Attributes).Only(add.dir.Labels).String(),
	}
	if add.first.Start.IsZero() || r.Start.Before(add.first.Start) {
		add.first = r
	}
	for _, p := range run.Packages {
		add.linked[sha256.Sum256(p.Table)] = true
	}
	return add.archive.PutRun(ctx, r)
}

// unlinked puts the tables of the directory that no run has into the archive. There must be a run for them to be of its
// service, labels and day.
func (add *adder) unlinked(ctx context.Context, dir string) (damaged []profile.Damage, err error) {
	if add.first.Start.IsZero() {
		return nil, nil
	}
	packages := make(map[string]rundata.Sparse)
	damaged = Unlinked(dir, add.linked, func(t *table.Package, data []byte) { packages[t.Path] = withoutCounts(t, data) })
	if len(packages) == 0 {
		return damaged, nil
	}
	list := slices.SortedFunc(maps.Values(packages), func(a, b rundata.Sparse) int { return strings.Compare(a.Path, b.Path) })
	return damaged, add.archive.PutRun(ctx, Run{
		Host: add.dir.Host, Name: fmt.Sprintf("tables.%s.%d", hashOf(list), add.first.Start.UnixNano()), Start: add.first.Start,
		Service: add.first.Service, Attributes: add.first.Attributes, Final: true, Tables: true, Tally: tally.OfSparse(list, nil, 0),
	})
}

// Unlinked calls do for the path tables in a profile directory that no run has, decoded and as they are. linked has the
// SHA-256 of those that runs have. What cannot be read is returned.
func Unlinked(dir string, linked map[[sha256.Size]byte]bool, do func(t *table.Package, data []byte)) (damaged []profile.Damage) {
	names, err := profiledir.Tables(dir)
	if err != nil {
		return nil // programs of go build have none beside their runs
	}
	for _, name := range names {
		data, err := rundata.ReadWhole(name, table.MostBytes)
		if err == nil && linked[sha256.Sum256(data)] {
			continue
		}
		var t *table.Package
		if err == nil {
			t, err = table.Decode(data)
		}
		if err != nil {
			reason := strings.TrimPrefix(err.Error(), name+": ")
			damaged = append(damaged, profile.Damage{Part: profile.TableFile, Name: filepath.Base(name), Reason: reason})
			continue
		}
		do(t, data)
	}
	return damaged
}

// withoutCounts returns what a run would have that has the package and executes nothing of it.
func withoutCounts(t *table.Package, data []byte) rundata.Sparse {
	hashes := 0
	for i := range t.Functions {
		if t.Functions[i].Declined == "" {
			hashes = max(hashes, t.Functions[i].Hashes())
		}
	}
	return rundata.Sparse{Path: t.Path, Table: data, Size: int(t.Counters), Hashes: make([][]rundata.Entry, hashes)}
}

// hashOf returns a hash over tables.
func hashOf(list []rundata.Sparse) string {
	var all bytes.Buffer
	for i := range list {
		sum := sha256.Sum256(list[i].Table)
		all.Write(sum[:])
	}
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:4])
}
