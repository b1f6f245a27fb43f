package object

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Encode returns the object in the format that format.go draws, and sets the sum of its run if there is one only. The error
// says what in the object cannot be encoded: texts that are too long, a package that is there twice.
func Encode(o *Object) ([]byte, error) {
	counts, err := appendCounts(nil, o.Counts)
	if err != nil {
		return nil, err
	}
	if len(o.Runs) == 1 {
		o.Runs[0].Sum = sumOf(counts)
	}
	b := append([]byte(magic), version, o.flags())
	texts := []string{o.Service, o.Attributes}
	if o.Root != "" {
		texts = append(texts, o.Root)
	}
	for _, text := range texts {
		if b, err = appendText(b, text); err != nil {
			return nil, err
		}
	}
	if b, err = appendRuns(b, o.Runs); err != nil {
		return nil, err
	}
	b = append(b, counts...)
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
	if o.Counts.Sampled {
		flags |= flagSampled
	}
	if o.Root != "" {
		flags |= flagRoot
	}
	return flags
}

func appendText(b []byte, text string) ([]byte, error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("text of %d bytes: %.40q…; at most %d are archived", len(text), text, mostText)
	}
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...), nil
}

func appendRuns(b []byte, runs []Run) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(runs)))
	for i := range runs {
		var err error
		r := &runs[i]
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
		b = append(append(b, flags), r.Sum[:]...)
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
