package archive

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// failing is a store of which the read of an object of some number fails, once.
type failing struct {
	*memory
	n, at int
}

var errAnswer = errors.New("500 Internal Server Error")

func (f *failing) Get(ctx context.Context, name string) ([]byte, error) {
	if f.n++; f.n == f.at {
		return nil, errAnswer
	}
	return f.memory.Get(ctx, name)
}

// TestStoreFails has each read of each reader fail in turn: it ends with the error, and lists nothing as damaged. All counts are
// there another time.
func TestStoreFails(t *testing.T) {
	base, runs := newMemory(), fleet(31, 12)
	put(t, create(t, base), runs[:6]...)
	compact(t, create(t, base))
	put(t, create(t, base), runs[4:]...)
	part := runs[8] // as it was put while it started
	part.Final, part.Tally = false, &tally.Tally{Packages: part.Tally.Packages[:1]}
	put(t, create(t, base), part)
	want := merged(t, create(t, base.clone()), Select{})
	for name, do := range map[string]func(a *Archive) ([]profile.Damage, error){
		"merge": func(a *Archive) ([]profile.Damage, error) {
			_, damaged, err := a.Merge(ctx, Select{})
			return damaged, err
		},
		"groups": func(a *Archive) ([]profile.Damage, error) {
			return a.Groups(ctx, Select{}, func(*Group) error { return nil })
		},
		"compact": func(a *Archive) ([]profile.Damage, error) {
			done, err := a.Compact(ctx, Select{})
			if done == nil {
				return nil, err
			}
			return done.Damaged, err
		},
		"prune": func(a *Archive) ([]profile.Damage, error) {
			done, err := a.Prune(ctx, day(1))
			return done.Damaged, err
		},
	} {
		for at := 2; ; at++ { // behind the marker
			store := &failing{memory: base.clone(), at: at}
			a, err := OpenStore(ctx, "test", store)
			if err != nil {
				t.Fatal(err)
			}
			damaged, err := do(a)
			if store.n < at {
				if err != nil || at < 10 {
					t.Errorf("%s: %d reads, %v", name, store.n, err)
				}
				break // there are fewer reads
			}
			if !errors.Is(err, errAnswer) || len(damaged) > 0 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, read %d: damaged %v, error %v", name, at, damaged, err)
			}
			if got := merged(t, create(t, store.memory), Select{}); got != want {
				t.Fatalf("%s, read %d: got\n%s\nwant\n%s", name, at, got, want)
			}
		}
	}
}
