package spool

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/internal/durable"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// A file of the spool is compressed by gzip, whose checksum shows damage:
//
//	goprofinstr spool 1\n
//	header as JSON, on one line\n
//	profile, uncompressed, as pprof has it
//
// Its name is ORDER-RANDOM.batch: the order in which batches were added, and what makes the name one that no other file has ever
// had. While it is being sent, the extension is another one. So it is when there was no answer.
const (
	magic = "goprofinstr spool 1\n"

	waiting = ".batch"
	sending = ".sending"  // left behind by a crash: the server may have it
	doubted = ".doubtful" // there was no answer: the server may have it, which is counted
	damaged = ".damaged"  // set aside
	partial = ".tmp"      // not whole yet

	maxInflated = 64 << 20 // a profile has 3.5 MiB at most
	maxHeader   = 1 << 20  // 30 labels of 2 KiB, and names of files
)

// header is what a file says of its batch.
type header struct {
	Key       string            `json:"key"`
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels"`
	Tables    string            `json:"tables"`
	Seq       uint64            `json:"seq,omitempty"`
	Start     time.Time         `json:"start"`
	Duration  time.Duration     `json:"duration"`
	Intervals int               `json:"intervals"`          // how many batches it is the sum of
	Replaces  []string          `json:"replaces,omitempty"` // the files, without extension, that it is the sum of
	Refused   []time.Time       `json:"refused,omitempty"`  // set aside: when the last batches began that it has parts of
	HalfOf    string            `json:"half_of,omitempty"`  // the file, without extension, that it is a half of: while that is there, this is not
}

func headerOf(b push.Batch, intervals int, replaces []string) header {
	return header{
		Key: b.Key(), Name: b.Name, Labels: b.Labels, Tables: b.Tables, Seq: b.Seq,
		Start: b.Start, Duration: b.Duration, Intervals: intervals, Replaces: replaces,
	}
}

func encode(h header, p *profile.Profile) ([]byte, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	fmt.Fprintf(z, "%s%s\n", magic, line) // to memory
	if err := p.WriteUncompressed(z); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// errDamaged is what is wrong with a file that is no batch.
var errDamaged = errors.New("it is damaged")

// readHeader reads the beginning of a file.
func readHeader(name string) (h header, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return h, 0, err
	}
	h, _, err = decodeHeader(f)
	return h, info.Size(), err
}

func decodeHeader(r io.Reader) (h header, rest io.Reader, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return h, nil, errDamaged
	}
	limited := bufio.NewReader(io.LimitReader(z, maxInflated))
	first, err := readLine(limited)
	if err != nil || string(first) != magic {
		return h, nil, errDamaged
	}
	line, err := readLine(limited)
	if err != nil || json.Unmarshal(line, &h) != nil || h.Intervals < 1 {
		return h, nil, errDamaged
	}
	return h, limited, nil
}

// readLine reads a line with its end. Most have a few hundred bytes, so a buffer of maxHeader would be a waste.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxHeader {
			return nil, errDamaged
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// read reads the batch of a file.
func read(name string) (push.Batch, error) {
	b, _, err := readWhole(name)
	return b, err
}

// readWhole reads a whole file.
func readWhole(name string) (b push.Batch, h header, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return b, h, err
	}
	h, rest, err := decodeHeader(bytes.NewReader(text))
	if err != nil {
		return b, h, err
	}
	raw, err := io.ReadAll(rest) // to the end, where the checksum is
	if err != nil {
		return b, h, errDamaged
	}
	p, err := profile.ParseUncompressed(raw)
	if err != nil || p.CheckValid() != nil || p.PeriodType == nil {
		return b, h, errDamaged
	}
	b = push.Batch{
		Name: h.Name, Labels: h.Labels, Tables: h.Tables, Seq: h.Seq, Start: h.Start, Duration: h.Duration, Profile: p,
	}
	if b.Key() != h.Key {
		return push.Batch{}, h, errDamaged
	}
	return b, h, nil
}

// disk is what is done to files. Tests have disks that are full, or end the program.
type disk struct {
	write  func(name string, data []byte) error // written and synchronized
	rename func(from, to string) error
	remove func(name string) error
	sync   func(dir string)
}

var realDisk = disk{write: writeSynced, rename: os.Rename, remove: os.Remove, sync: durable.SyncFolder}

func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// put makes a file, whole or not at all.
func (d disk) put(name string, data []byte) error {
	err := d.write(name+partial, data)
	if err == nil {
		err = d.rename(name+partial, name)
	}
	if err != nil {
		os.Remove(name + partial) // a full disk has room again; what stays is removed at the next start
		return err
	}
	d.sync(filepath.Dir(name))
	return nil
}
