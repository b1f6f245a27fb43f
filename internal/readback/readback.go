// Package readback has another implementation read Parquet files that tests have written.
//
// That is a program in a module of its own, in the folder program: who requires goprofinstr has neither the implementation nor
// what it requires in go.mod. The test is skipped where its modules cannot be downloaded.
package readback

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// A File is what the program has read. It has the same type.
type File struct {
	RowGroups int
	NumRows   int64
	Columns   []Column // of the first row group
	Rows      []Row
	Error     string // why it cannot be read
}

// A Column is between which values a column is.
type Column struct {
	Name        string // of the outermost field
	Least, Most []byte
}

// A Row has the values of columns by name, int32, int64, bool, []byte, []any and map[string]any, and the names of those that
// are null.
type Row struct {
	Values map[string]any
	Null   []string
}

func init() {
	gob.Register(map[string]any{})
	gob.Register([]any{})
}

// Rows returns the rows of a file as structs with the tags of package parquetfile.
func Rows[R any](t testing.TB, data []byte) []R {
	t.Helper()
	f := Read(t, data, true)
	fields := reflect.VisibleFields(reflect.TypeFor[R]())
	rows := make([]R, len(f.Rows))
	for i, row := range f.Rows {
		if err := fill(&rows[i], fields, row); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// Read reads a file, with its rows or without them.
func Read(t testing.TB, data []byte, rows bool) *File {
	t.Helper()
	p, err := start()
	if err != nil {
		t.Skip(err)
	}
	f, err := p.read(request{data, rows})
	if err != nil {
		t.Fatalf("another implementation does not read it: %v", err)
	}
	return f
}

// A request is a file to be read, with its rows or without them.
type request struct {
	Data []byte
	Rows bool
}

// A program reads files, one after the other: to start a process takes longer than to read most of them. It ends with the test
// binary, which is its standard input.
type program struct {
	mu    sync.Mutex
	cmd   *exec.Cmd
	to    *gob.Encoder
	from  *gob.Decoder
	fails bytes.Buffer // standard error
}

// start starts the program. It is an error if its modules cannot be downloaded.
var start = sync.OnceValues(func() (*program, error) {
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %v", err)
	}
	folder := filepath.Join(filepath.Dir(strings.TrimSpace(string(gomod))), "internal", "readback", "program")
	download := exec.Command("go", "mod", "download")
	download.Dir, download.Env = folder, environ()
	if out, err := download.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the modules of another implementation cannot be downloaded: %v: %s", err, out)
	}
	p := &program{cmd: exec.Command("go", "run", ".")} // what it has built once is in the build cache
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = folder, environ(), &p.fails
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.to, p.from = gob.NewEncoder(in), gob.NewDecoder(out)
	return p, p.cmd.Start()
})

// read has the program read a file. If the program ends instead, all later files are errors, too.
func (p *program) read(r request) (*File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := new(File)
	if err := errors.Join(p.to.Encode(r), p.from.Decode(f)); err != nil {
		return nil, fmt.Errorf("%w, %v\n%s", err, p.cmd.Wait(), p.fails.String())
	}
	if f.Error != "" {
		return nil, errors.New(f.Error)
	}
	return f, nil
}

// environ returns the environment for the go command in the program's module.
func environ() []string { return append(os.Environ(), "GOWORK=off", "GOFLAGS=") }

// fill sets the fields of a row, a pointer to a struct that has these, to the values of columns.
func fill(row any, fields []reflect.StructField, values Row) error {
	v := reflect.ValueOf(row).Elem()
	null := make(map[string]bool)
	for _, name := range values.Null {
		null[name] = true
	}
	for _, f := range fields {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if f.Anonymous || null[name] {
			continue
		}
		to := v.FieldByIndex(f.Index)
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		switch value := values.Values[name].(type) {
		case map[string]any:
			to.Set(reflect.MakeMap(to.Type()))
			for key, text := range value {
				to.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(fmt.Sprintf("%s", text)))
			}
		case []any:
			for _, n := range value {
				to.Set(reflect.Append(to, reflect.ValueOf(n)))
			}
		default:
			got := reflect.ValueOf(value)
			if value == nil || got.Kind() != to.Kind() && (got.Kind() != reflect.Slice || to.Kind() != reflect.String) {
				return fmt.Errorf("column %s has %T, want %v", name, value, to.Type())
			}
			to.Set(got.Convert(to.Type()))
		}
	}
	return nil
}
