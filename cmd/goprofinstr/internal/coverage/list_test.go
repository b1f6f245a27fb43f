package coverage

import (
	"bytes"
	"encoding/gob"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// A memory keeps values as they are kept in files.
type memory map[string][]byte

func (m memory) Get(words []string, value any) bool {
	data, ok := m[strings.Join(words, "\x00")]
	return ok && gob.NewDecoder(bytes.NewReader(data)).Decode(value) == nil
}

func (m memory) Put(words []string, value any) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic(err)
	}
	m[strings.Join(words, "\x00")] = b.Bytes()
}

// TestListKept lists a package of this module, whose files are not changed while tests run, a second time without the go command.
func TestListKept(t *testing.T) {
	c, err := gocmd.Parse([]string{"go", "test", "../guess"})
	if err != nil {
		t.Fatal(err)
	}
	tc, err := toolchain.Find(c)
	if err != nil {
		t.Fatal(err)
	}
	l := lister{c, tc, tc.ListConfig(c, nil, make(memory))}
	config := l.config
	config.Select = func(*packages.Package) bool { return false }
	if _, err := load.Load(config); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.config.Unchanged(); !ok {
		t.Skip("a file of this module has changed in the last two seconds, or go.work or a flag keeps listings from being kept")
	}
	fresh, err := l.list("-find")
	if err != nil {
		t.Fatal(err)
	}
	gone := *tc
	gone.Go = filepath.Join(t.TempDir(), "go")
	l.tc = &gone
	kept, err := l.list("-find")
	if err != nil || !reflect.DeepEqual(kept, fresh) || len(kept) != 1 {
		t.Errorf("got %v, %v, want %v", kept, err, fresh)
	}
	if _, err := l.list("-deps"); err == nil {
		t.Error("what was listed with one flag was taken for another's")
	}
	l.config.Described += " "
	if _, err := l.list("-find"); err == nil {
		t.Error("a listing of another environment was taken")
	}
}
