package object

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Encode returns the object in the format that format.go draws, and sets the sum of its run if there is one only. The error
// says what in the object cannot be encoded: texts that are too long, a package that is there twice.
func Encode(o *Object) ([]byte, error) {
	counts := make([][]byte, len(o.Parts))
	var labels []string
	for i, p := range o.Parts {
		var err error
		if counts[i], err = appendCounts(nil, p.Counts); err != nil {
			return nil, err
		}
		if len(o.Runs) == 1 && o.Runs[0].Labels == p.Labels {
			o.Runs[0].Sum = sumOf(counts[i])
		}
		labels = append(labels, p.Labels)
	}
	b := append([]byte(magic), Version, o.flags())
	b, err := appendText(b, o.Service)
	if err == nil {
		b, err = appendText(b, o.Root)
	}
	if err == nil {
		b, err = appendTexts(b, labels)
	}
	if err == nil {
		b, err = o.appendRuns(b)
	}
	for i, p := range o.Parts {
		if err == nil {
			b, err = appendAbout(b, p.Counts)
		}
		b = appendUncounted(append(b, counts[i]...), p.Counts)
	}
	if err != nil {
		return nil, err
	}
	sum := sumOf(b)
	if b = append(b, sum[:]...); len(b) > MostBytes {
		return nil, fmt.Errorf("counts of %d bytes; at most %d are archived as one", len(b), MostBytes)
	}
	return b, nil
}

func sumOf(b []byte) Sum {
	all := sha256.Sum256(b)
	return Sum(all[:sumLen])
}

func (o *Object) flags() (flags byte) {
	if o.Final {
		flags |= flagFinal
	}
	return flags
}

// appendTexts appends texts, which are in order and no two alike.
func appendTexts(b []byte, list []string) (_ []byte, err error) {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i, text := range list {
		if i > 0 && list[i-1] >= text {
			return nil, fmt.Errorf("%.40q is not behind %.40q: it is there twice", text, list[i-1])
		}
		if b, err = appendText(b, text); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendAbout appends what is known of counts besides them.
func appendAbout(b []byte, t *tally.Tally) ([]byte, error) {
	flags, s := byte(0), t.Sampling
	if t.Sampled {
		flags |= flagSampled
	}
	if t.Sampled && s != nil {
		flags |= flagSampling
	}
	if hasUncounted(t) {
		flags |= flagUncounted
	}
	b = append(b, flags)
	if flags&flagSampling != 0 {
		for _, n := range samplingNumbers(s) {
			b = binary.AppendUvarint(b, n)
		}
		var err error
		if b, err = appendTexts(b, s.Specs); err != nil {
			return nil, err
		}
	}
	return appendTexts(b, slices.Sorted(maps.Values(t.Names)))
}

// appendUncounted appends the functions that nothing can count, if there are some.
func appendUncounted(b []byte, t *tally.Tally) []byte {
	if hasUncounted(t) {
		for i := range t.Packages {
			b = appendList(b, t.Packages[i].Uncounted)
		}
	}
	return b
}

func hasUncounted(t *tally.Tally) bool {
	return slices.ContainsFunc(t.Packages, func(p rundata.Sparse) bool { return len(p.Uncounted) > 0 })
}

// samplingNumbers returns the numbers of a sampling in the order in which they are written.
func samplingNumbers(s *tally.Sampling) [12]uint64 {
	return [...]uint64{
		s.Ticks, s.Samples, s.Counted, uint64(s.CPU), uint64(s.Cost), s.Contexts, s.Cut, s.Folded, uint64(s.Period), s.Burst, s.Left,
		uint64(math.Round(s.Off * offUnit)),
	}
}

// samplingOf is the inverse.
func samplingOf(n [12]uint64) *tally.Sampling {
	return &tally.Sampling{
		Ticks: n[0], Samples: n[1], Counted: n[2], CPU: time.Duration(n[3]), Cost: time.Duration(n[4]), Contexts: n[5], Cut: n[6], Folded: n[7],
		Period: time.Duration(n[8]), Burst: n[9], Left: n[10], Off: float64(n[11]) / offUnit,
	}
}

func appendText(b []byte, text string) ([]byte, error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("text of %d bytes: %.40q…; at most %d are archived", len(text), text, mostText)
	}
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...), nil
}

func (o *Object) appendRuns(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(o.Runs)))
	for i := range o.Runs {
		var err error
		r := &o.Runs[i]
		if b, err = appendText(b, r.Host); err == nil {
			b, err = appendText(b, r.Name)
		}
		if err != nil {
			return nil, err
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Start.UnixNano()))
		flags := byte(0)
		if r.Process {
			flags = flagProcess
		}
		part, ok := findPart(o.Parts, r.Labels)
		if !ok {
			return nil, fmt.Errorf("BUG: no part has the labels of run %s", r.Name)
		}
		b = binary.AppendUvarint(append(b, flags), uint64(part))
		b = append(b, r.Sum[:]...)
	}
	return b, nil
}

func appendCounts(b []byte, t *tally.Tally) (_ []byte, err error) {
	b = binary.AppendUvarint(b, t.Lost)
	b = binary.AppendUvarint(b, uint64(len(t.Packages)))
	for i := range t.Packages {
		p := &t.Packages[i]
		if i > 0 && t.Packages[i-1].Path >= p.Path {
			return nil, fmt.Errorf("package %s is not behind %s: it is there twice", p.Path, t.Packages[i-1].Path)
		}
		if b, err = appendText(b, p.Path); err != nil {
			return nil, err
		}
		if len(p.Table) != tableLen {
			return nil, errors.New("BUG: a package without the sum of its table")
		}
		b = append(b, p.Table...)
		b = binary.AppendUvarint(b, uint64(p.Size))
		b = appendList(b, p.Counters)
		b = appendHashes(b, p.Hashes)
	}
	return b, nil
}

func appendHashes(b []byte, hashes [][]rundata.Entry) []byte {
	used := 0
	for _, list := range hashes {
		if len(list) > 0 {
			used++
		}
	}
	b = binary.AppendUvarint(b, uint64(len(hashes)))
	b = binary.AppendUvarint(b, uint64(used))
	next := 0
	for i, list := range hashes {
		if len(list) > 0 {
			b = binary.AppendUvarint(b, uint64(i-next))
			b = appendList(b, list)
			next = i + 1
		}
	}
	return b
}

func appendList(b []byte, list []rundata.Entry) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	next := uint64(0)
	for _, e := range list {
		b = binary.AppendUvarint(b, e.At-next)
		b = binary.AppendUvarint(b, e.N)
		next = e.At + 1
	}
	return b
}
