package archive

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
)

// memory is a store in memory, which can fail. Each operation that changes something is a step. After the given number of steps
// all operations fail, as if the process had been killed or the disk was full.
type memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	written map[string]time.Time
	now     time.Time
	steps   int         // that have been taken
	most    int         // steps that are taken before everything fails; negative: no end
	before  func(n int) // is called before step n, without a lock, to do something at the same time
}

func newMemory() *memory {
	return &memory{objects: make(map[string][]byte), written: make(map[string]time.Time), now: day(1), most: -1}
}

// day returns noon of a day in January 2026.
func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

var errKilled = errors.New("no space left on device")

// step takes a step, or fails.
func (m *memory) step() error {
	if m.before != nil {
		m.before(m.steps)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.most >= 0 && m.steps >= m.most {
		return errKilled
	}
	m.steps++
	return nil
}

func (m *memory) Get(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.objects[name]
	if !ok {
		return nil, &fs.PathError{Op: "get", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

func (m *memory) Put(_ context.Context, name string, data []byte) error {
	if err := m.step(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[name], m.written[name] = slices.Clone(data), m.now
	return nil
}

func (m *memory) PutIfAbsent(_ context.Context, name string, data []byte) (bool, error) {
	if err := m.step(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.objects[name]; ok {
		return false, nil
	}
	m.objects[name], m.written[name] = slices.Clone(data), m.now
	return true, nil
}

func (m *memory) List(_ context.Context, prefix string) (list []store.Info, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.objects)) {
		if strings.HasPrefix(name, prefix) {
			list = append(list, store.Info{Name: name, Size: int64(len(m.objects[name])), Modified: m.written[name]})
		}
	}
	return list, nil
}

func (m *memory) Delete(_ context.Context, name string) error {
	if err := m.step(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, name)
	return nil
}

// clone returns a store with the same objects, which does not fail.
func (m *memory) clone() *memory {
	return &memory{objects: maps.Clone(m.objects), written: maps.Clone(m.written), now: m.now, most: -1}
}

// below returns the names of the objects in a folder.
func (m *memory) below(folder string) (names []string) {
	infos, _ := m.List(context.Background(), folder)
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}
