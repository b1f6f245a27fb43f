package restore

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// zeroEnded returns strings as tables have them.
func zeroEnded(list ...string) []byte {
	var b []byte
	for _, s := range list {
		b = append(append(b, s...), 0)
	}
	return b
}

// runtimeTableOf returns a table with names of files, and where in it each of packages' files has its name; -1 is none.
func runtimeTableOf(names []string, used []int) []byte {
	table := make([]byte, headerSize)
	put := func(at, v int) { binary.LittleEndian.PutUint64(table[at:], uint64(v)) }
	binary.LittleEndian.PutUint32(table, go120Magic)
	table[6], table[7] = 1, pointerSize
	put(filesAt, len(names))
	put(cutabAt, len(table))
	var offsets []uint32
	for i := range names {
		offsets = append(offsets, uint32(len(zeroEnded(names[:i]...))))
	}
	for _, u := range used {
		offset := absent
		if u >= 0 {
			offset = offsets[u]
		}
		table = binary.LittleEndian.AppendUint32(table, offset)
	}
	put(filetabAt, len(table))
	table = append(table, zeroEnded(names...)...)
	table = append(table, 0, 0, 0)
	put(pctabAt, len(table))
	return append(table, "what comes behind"...)
}

// namesOf returns the names that a table has, and those of packages' files.
func namesOf(table []byte) (names, used []string) {
	word := func(at int) int { return int(binary.LittleEndian.Uint64(table[at:])) }
	filetab := table[word(filetabAt):]
	for range word(filesAt) {
		name, rest, _ := bytes.Cut(filetab, []byte{0})
		names, filetab = append(names, string(name)), rest
	}
	for at := word(cutabAt); at < word(filetabAt); at += 4 {
		if offset := binary.LittleEndian.Uint32(table[at:]); offset != absent {
			name, _, _ := bytes.Cut(table[word(filetabAt)+int(offset):], []byte{0})
			used = append(used, string(name))
		} else {
			used = append(used, "none")
		}
	}
	return names, used
}

func TestRuntimeTable(t *testing.T) {
	table := runtimeTableOf(
		[]string{"/src/a.go~gpi0", "/src/b.go", "/src/a.go", "/src/a.go~gpizz", "/src/c.go~gpi1", "d~gp"},
		[]int{0, 3, -1, 1, 2, 4, 5, 0})
	before := len(table)
	n, err := restoreTable(table)
	if n != 3 || err != nil {
		t.Fatalf("%d names, %v", n, err)
	}
	names, used := namesOf(table)
	if diff := cmp.Diff([]string{"/src/a.go", "/src/b.go", "/src/c.go", "d~gp"}, names); diff != "" {
		t.Errorf("names: -want +got:\n%s", diff)
	}
	want := []string{"/src/a.go", "/src/a.go", "none", "/src/b.go", "/src/a.go", "/src/c.go", "d~gp", "/src/a.go"}
	if diff := cmp.Diff(want, used); diff != "" {
		t.Errorf("names of files: -want +got:\n%s", diff)
	}
	if len(table) != before || !bytes.HasSuffix(table, []byte("what comes behind")) || bytes.Contains(table, []byte("gpi")) {
		t.Errorf("the table is now %q", table)
	}
}

// TestBadTable has tables that are damaged or of another form.
func TestBadTable(t *testing.T) {
	good := runtimeTableOf([]string{"/src/a.go~gpi0", "/src/b.go"}, []int{0, 1})
	for what, damage := range map[string]func(table []byte) []byte{
		"short":                  func(table []byte) []byte { return table[:headerSize-1] },
		"magic":                  func(table []byte) []byte { table[0]++; return table },
		"pointers":               func(table []byte) []byte { table[7] = 4; return table },
		"parts that end behind":  func(table []byte) []byte { table[pctabAt+1]++; return table },
		"parts out of order":     func(table []byte) []byte { table[cutabAt+1]++; return table },
		"too many files":         func(table []byte) []byte { table[filesAt]++; table[filesAt+1]++; return table },
		"a name that is nowhere": func(table []byte) []byte { table[headerSize]++; return table },
	} {
		if n, err := restoreTable(damage(slices.Clone(good))); err == nil {
			t.Errorf("%s: %d names, and no error", what, n)
		}
	}
}

// uleb returns a number in as many bytes as it needs.
func uleb(v uint64) []byte { return binary.AppendUvarint(nil, v) }

// unit returns the line table of a unit: its header with folders and files, and a program.
func unit(version, offsetSize int, tables, program []byte) []byte {
	fixed := func(n int, v int) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(v))
		return b[:n]
	}
	head := []byte{1, 1, 0xfc, 10} // least instruction, is_stmt, line_base, line_range
	if version >= 4 {
		head = []byte{1, 1, 1, 0xfc, 10}
	}
	head = append(head, 11, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0)
	head = append(head, tables...)
	body := fixed(2, version)
	if version == 5 {
		body = append(body, 8, 0)
	}
	body = slices.Concat(body, fixed(offsetSize, len(head)), head, program)
	if offsetSize == 8 {
		return slices.Concat([]byte{0xff, 0xff, 0xff, 0xff}, fixed(8, len(body)), body)
	}
	return slices.Concat(fixed(4, len(body)), body)
}

// tables5 returns a table of folders and one of files as the Go linker makes them. A file has its folder behind it.
func tables5(folders []string, files []string, folder uint64) []byte {
	b := slices.Concat([]byte{1, contentPath, formString}, uleb(uint64(len(folders))), zeroEnded(folders...))
	b = slices.Concat(b, []byte{2, contentPath, formString, 2, formUdata}, uleb(uint64(len(files))))
	for _, f := range files {
		b = slices.Concat(b, zeroEnded(f), uleb(folder))
	}
	return b
}

// TestLines has line tables of two units, in all versions: those of the original, but for the numbers of folders, which have
// more bytes.
func TestLines(t *testing.T) {
	program := []byte{0, 1, 1}
	labelled := []string{"?", "a.go~gpi0", "b.go", "a.go~gpizzz", "c.go~gpi"}
	tables4 := func(files []string) []byte {
		b := append(zeroEnded("/src"), 0)
		for _, f := range files {
			b = slices.Concat(b, zeroEnded(f), uleb(1), uleb(2), uleb(300))
		}
		return append(b, 0)
	}
	for _, folder := range []uint64{0, 1, 127, 128, 300} {
		for _, size := range []int{4, 8} {
			lines := slices.Concat(
				unit(5, size, tables5([]string{".", "/src"}, labelled, folder), program),
				unit(4, size, tables4(labelled), program),
				unit(5, size, tables5([]string{"."}, []string{"x.go"}, folder), program),
			)
			before := len(lines)
			n, err := restoreLines(lines)
			if n != 4 || err != nil || len(lines) != before {
				t.Fatalf("%d names, %v", n, err)
			}
			if got := bytes.Count(lines, zeroEnded("a.go")); got != 4 || bytes.Count(lines, []byte("~gpi")) != 2 {
				t.Errorf("%d names in %q", got, lines)
			}
			if again, err := restoreLines(lines); again != 0 || err != nil {
				t.Errorf("again: %d, %v", again, err)
			}
			for _, number := range [][]byte{{byte(folder)&0x7f | 0x80}} {
				if folder > 127 {
					number = append(number, byte(folder>>7)|0x80)
				}
				if !bytes.Contains(lines, append(append(zeroEnded("a.go"), number...), 0x80)) {
					t.Errorf("folder %d is not behind the name in %q", folder, lines)
				}
			}
		}
	}
}

// TestBadLines cuts a line table off everywhere, and has forms that nobody knows.
func TestBadLines(t *testing.T) {
	good := unit(5, 4, tables5([]string{"."}, []string{"a.go~gpi0"}, 1), []byte{0, 1, 1})
	for n := 1; n < len(good); n++ {
		if labelled, err := restoreLines(slices.Clone(good[:n])); err == nil {
			t.Errorf("%d of %d bytes: %d names, and no error", n, len(good), labelled)
		}
	}
	file := zeroEnded("a.go~gpi0")
	head := []byte{1, contentPath, formString, 0} // no folders
	for what, tables := range map[string][]byte{
		"form":                      slices.Concat(head, []byte{1, contentPath, 0x30, 1}, file),
		"no number":                 slices.Concat(head, []byte{1, contentPath, formString, 1}, file),
		"another number":            slices.Concat(head, []byte{2, contentPath, formString, 2, formData1, 1}, file, []byte{1}),
		"more files than there are": slices.Concat(head, []byte{2, contentPath, formString, 2, formUdata, 9}, file, uleb(1)),
		"a header without an end":   {1, contentPath},
	} {
		if n, err := restoreLines(unit(5, 4, tables, nil)); err == nil {
			t.Errorf("%s: %d names, and no error", what, n)
		}
	}
	if _, err := restoreLines(unit(6, 4, nil, nil)); err == nil || !strings.Contains(err.Error(), "version 6") {
		t.Errorf("version 6: %v", err)
	}
}

// TestOtherForms has a table as C compilers make it, which has no labels and stays as it is.
func TestOtherForms(t *testing.T) {
	tables := slices.Concat(
		[]byte{1, contentPath, formLineStrp, 1, 1, 2, 3, 4},
		[]byte{3, contentPath, formLineStrp, 2, formUdata, 5, formData16, 1, 1, 2, 3, 4, 0}, make([]byte, 16))
	lines := unit(5, 4, tables, []byte{0, 1, 1})
	before := slices.Clone(lines)
	if n, err := restoreLines(lines); n != 0 || err != nil || !bytes.Equal(lines, before) {
		t.Errorf("%d names, %v", n, err)
	}
}

// TestEmptyEntries has tables that say they have more entries than can be counted, each of nothing.
func TestEmptyEntries(t *testing.T) {
	entries := slices.Concat([]byte{0}, uleb(1<<62))
	if n, err := restoreLines(unit(5, 4, slices.Concat(entries, entries), nil)); n != 0 || err != nil {
		t.Errorf("%d names, %v", n, err)
	}
}

// TestNoProgram has files that are no executables.
func TestNoProgram(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("#!/bin/sh\n"), []byte("\x7fELF")} {
		if _, _, err := Names(data); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}
