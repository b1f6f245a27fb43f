// Package statefile keeps what a command has to know the next time it runs: a value in a file, as encoding/gob has it.
package statefile

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/fleet/internal/durable"
)

// ErrDamaged is wrapped by the error of Read for a file that is not as Write leaves it.
var ErrDamaged = errors.New("it is damaged")

// Read reads the value in a file, and reports whether there is one.
func Read(name string, into any) (found bool, err error) {
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(into); err != nil {
		return false, fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return true, nil
}

// temporary is between the name of a file and the random number of one that is not whole yet.
const temporary = ".tmp"

// removeLeft removes what writers have left that were killed. Another writer that is at it now gets an error, and no damage.
func removeLeft(name string) {
	entries, _ := os.ReadDir(filepath.Dir(name)) // as far as they can be read
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), filepath.Base(name)+temporary)
		if ok && strings.Trim(number, "0123456789") == "" {
			os.Remove(filepath.Join(filepath.Dir(name), e.Name()))
		}
	}
}

// Write replaces the value in a file, on disk and as a whole, or leaves the file as it was. The folder is made if it is not
// there, for its owner only.
func Write(name string, value any) (err error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic("BUG: " + err.Error())
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	removeLeft(name)
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+temporary+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	durable.SyncFolder(filepath.Dir(name))
	return nil
}
