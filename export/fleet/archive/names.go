package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
)

// The folders of an archive.
const (
	tablesFolder = "tables/"
	countsFolder = "counts/"
	daysFolder   = "days/"
)

// dayFormat is the form of days in names.
const dayFormat = time.DateOnly

// mostName bounds the length of what a label becomes in a name. File systems have names of up to 255 bytes, and HOST@RUN has
// two of them.
const mostName = 100

// clean returns a label as part of a name: letters, digits and a few signs. So no label leads out of its folder, hides a file or
// means something to a shell. Labels that are different stay so, by a hash behind a sign that no label keeps.
func clean(label string) string {
	ok := func(i int, c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || i > 0 && (c == '-' || c == '.')
	}
	name := []byte(label)[:min(len(label), mostName)]
	for i, c := range name {
		if !ok(i, c) {
			name[i] = '_'
		}
	}
	if string(name) == label && label != "" && !strings.HasSuffix(label, ".") {
		return label
	}
	sum := sha256.Sum256([]byte(label))
	if label == "" {
		name = []byte("none")
	}
	return string(name) + "~" + hex.EncodeToString(sum[:8])
}

// buildOf returns the hash of what is in a build: packages, how many counters they have, and what these mean. So runs of one
// build always add up, and an object that lies about a table is of another build.
func buildOf(counts *tally.Tally) string {
	h := sha256.New()
	for i := range counts.Packages {
		p := &counts.Packages[i]
		fmt.Fprintf(h, "%q %x %d %d\n", p.Path, p.Table, p.Size, len(p.Hashes))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// BuildOf returns the ID of the build that a run is of, as Merge has it.
func BuildOf(t *tally.Tally) string { return buildOf(t.WithSums(sha256Of)) }

var errParts = errors.New("its parts are of several builds")

// buildOfParts returns the build that all parts of an object are of.
func buildOfParts(o *object.Object) (build string, err error) {
	for _, p := range o.Parts {
		id := buildOf(p.Counts)
		if build != "" && id != build {
			return "", errParts
		}
		build = id
	}
	return build, nil
}

// A place is where objects are that can become one.
type place struct{ service, build, day string } // as in names

// placeOf returns where a run of a service and a build belongs that has started at some time.
func placeOf(service, build string, start time.Time) place {
	return place{clean(service), build, start.UTC().Format(dayFormat)}
}

func (p place) folder(top string) string { return top + path.Join(p.service, p.build, p.day) + "/" }

// runName returns the last part of the name of a run's object.
func runName(r object.Run) string { return clean(r.Host) + "@" + clean(r.Name) }

// number returns the number of an object of a day, 0 if the name is another one.
func number(name string) int {
	n, err := strconv.Atoi(path.Base(name))
	if err != nil || n < 1 || dayName(n) != path.Base(name) {
		return 0
	}
	return n
}

// dayName returns the last part of the name of an object of a day.
func dayName(n int) string { return fmt.Sprintf("%06d", n) }

var errName = errors.New("no object of an archive has such a name")

// parse returns where an object is by its name.
func parse(name string) (top string, p place, err error) {
	parts := strings.Split(name, "/")
	if len(parts) != 5 {
		return "", p, errName
	}
	top, p = parts[0]+"/", place{parts[1], parts[2], parts[3]}
	_, err = time.Parse(dayFormat, p.day)
	switch {
	case err != nil:
	case top == daysFolder && number(name) > 0:
		return top, p, nil
	case top == countsFolder && strings.Count(parts[4], "@") == 1:
		return top, p, nil
	}
	return "", p, errName
}
