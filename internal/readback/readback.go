// Package readback has another implementation read Parquet files that tests have written.
//
// That is a program in a module of its own, in the folder program: who requires goprofinstr has neither the implementation nor
// what it requires in go.mod. The test is skipped where its modules cannot be downloaded.
package readback

import (
	"bytes"
	"encoding/gob"
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
	rows := make([]R, len(f.Rows))
	for i, row := range f.Rows {
		if err := fill(&rows[i], row); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// Read reads a file, with its rows or without them.
func Read(t testing.TB, data []byte, rows bool) *File {
	t.Helper()
	folder, err := program()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("go", "run", ".", fmt.Sprint("-rows=", rows)) // what it has built once is in the build cache
	cmd.Dir, cmd.Env = folder, environ()
	cmd.Stdin = bytes.NewReader(data)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("another implementation does not read it: %v\n%s", err, errs.String())
	}
	f := new(File)
	if err := gob.NewDecoder(&out).Decode(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// program returns the folder of the program. It is an error if its modules cannot be downloaded.
var program = sync.OnceValues(func() (folder string, err error) {
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %v", err)
	}
	folder = filepath.Join(filepath.Dir(strings.TrimSpace(string(gomod))), "internal", "readback", "program")
	cmd := exec.Command("go", "mod", "download")
	cmd.Dir, cmd.Env = folder, environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the modules of another implementation cannot be downloaded: %v: %s", err, out)
	}
	return folder, nil
})

// environ returns the environment for the go command in the program's module.
func environ() []string { return append(os.Environ(), "GOWORK=off", "GOFLAGS=") }

// fill sets the fields of a row, a pointer to a struct, to the values of columns.
func fill(row any, values Row) error {
	v := reflect.ValueOf(row).Elem()
	null := make(map[string]bool)
	for _, name := range values.Null {
		null[name] = true
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
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
