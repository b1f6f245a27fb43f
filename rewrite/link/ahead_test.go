package link

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
)

// A fake keeper has words.
type fake map[string]bool

func (k fake) Get(words []string, _ any) bool { return k[fmt.Sprint(words)] }
func (k fake) Put(words []string, _ any)      { k[fmt.Sprint(words)] = true }

// TestReadAhead reads the sources of a test program ahead. What the program turns out not to have is not used.
func TestReadAhead(t *testing.T) {
	dir := t.TempDir()
	records := filepath.Join(dir, "records")
	add := func(id, path, text string) *Record {
		name := filepath.Join(dir, fmt.Sprintf("%x.go", id))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r := &Record{ID: id, Path: path, Table: &label.Table{Files: []label.File{{Name: name}}}}
		if err := Write(records, r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	a := add("a", "a", "package a\nfunc A(x int) int { if x > 0 { return 1 }; return 2 }\n")
	test := add("a [a.test]", "a", "package a\nfunc aTest() {}\n")
	other := add("a [b.test]", "a", "package a\nfunc bTest() {}\n")
	broken := add("c", "c", "package c\nfunc C() int { return \"\" }\n")
	add("d", "d", "package d\n") // is not in the program

	importcfg := filepath.Join(dir, "importcfg")
	const list = "packagefile a=a.a\npackagefile c=c.a\npackagefile a.test=main.a\n"
	if err := os.WriteFile(importcfg, []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	ahead := ReadAhead(importcfg, "main.a", records, fake{})
	if s := ahead.sources(); s == nil || len(ahead.units) != 1 {
		t.Fatalf("sources %v, of %d units", s, len(ahead.units))
	}
	src := ahead.source(&unit{records: []*Record{a, test}})
	if src == nil || len(src.Funcs) != 2 {
		t.Fatalf("source %v", src)
	}
	for _, u := range [][]*Record{{a}, {test}, {a, other}, {broken}} {
		if ahead.source(&unit{records: u}) != nil {
			t.Errorf("a source of %d records, the last of %s", len(u), u[len(u)-1].ID)
		}
	}
	sum, err := sumOf([]*Record{test, broken, a})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range [][]*Record{{test, broken, a}, {test, a}} {
		var known []*Record
		for _, r := range of {
			if r, err = ahead.read("", r.ID); err != nil {
				t.Fatal(err)
			}
			known = append(known, r)
		}
		want, err := sumOf(of)
		if got, aheadErr := ahead.sumOf(known); err != nil || aheadErr != nil || got != want {
			t.Errorf("sum %x, want %x (%v, %v)", got, want, aheadErr, err)
		}
	}
	if _, err := ahead.read(records, other.ID); err != nil {
		t.Errorf("what was not read ahead: %v", err)
	}
	k := fake{}
	k.Put(anyWords(sum), true)
	if ReadAhead(importcfg, "main.a", records, k).sources() != nil {
		t.Error("it reads sources of copies that are kept")
	}
	if none := (*Ahead)(nil); none.sources() != nil || none.source(&unit{}) != nil {
		t.Error("nothing that was read ahead has sources")
	}
}
