package runfile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// drawn are the records that format.go draws and records.go declares.
var drawn = []struct {
	title  string // above the drawing
	kind   U      // 0: the drawing is of no record
	record any
}{
	{"header page", 0, Header{}},
	{"package record", KindPackage, PackageRecord{}},
	{"hash record (a chunk of a Hash)", KindHash, HashRecord{}},
	{"shard record", KindShard, ShardRecord{}},
	{"sampling record", KindSampling, SamplingRecord{}},
	{"site record", KindSites, SiteRecord{}},
	{"context record", KindContexts, ContextRecord{}},
	{"test record", KindTests, TestRecord{}},
	{"audit record", KindAudit, AuditRecord{}},
	{"stream record", KindStream, StreamRecord{}},
	{"record of names", KindNames, NamesRecord{}},
	{"entry", 0, NameEntry{}},
	{"log record", KindLog, LogRecord{}},
	{"label record", KindLabels, LabelRecord{}},
}

// A row is a line of a drawing that has the numbers of its words.
type row struct {
	label       string
	first, last int // words; last is -1 if the row goes on from the first
}

// rowWords are the numbers of words behind a row: 5, 5…7 or 5….
var rowWords = regexp.MustCompile(`^ +(\d+)(…(\d*))?`)

// readDrawing returns the rows of the box below a title.
func readDrawing(t *testing.T, lines []string, title string) (rows []row) {
	t.Helper()
	for i, line := range lines {
		at := strings.Index(line+"  ", title+"  ")
		if !strings.HasPrefix(line, "//") || at < 0 {
			continue
		}
		column := len([]rune(line[:at]))
		for _, line := range lines[i+2:] {
			runes := []rune(line)
			if len(runes) <= column || runes[column] == '└' {
				break
			}
			if label, behind, ok := strings.Cut(string(runes[column+1:]), "│"); ok && runes[column] == '│' {
				if m := rowWords.FindStringSubmatch(behind); m != nil {
					rows = append(rows, newRow(label, m))
				}
			}
		}
	}
	if rows == nil {
		t.Fatalf("format.go has no drawing of a %s", title)
	}
	return rows
}

func newRow(label string, words []string) row {
	r := row{label: strings.TrimSpace(label)}
	r.first, _ = strconv.Atoi(words[1])
	switch {
	case words[2] == "":
		r.last = r.first
	case words[3] == "":
		r.last = -1
	default:
		r.last, _ = strconv.Atoi(words[3])
	}
	return r
}

// fieldComments returns the comments of a struct's fields in records.go, by the name of the first field in a line.
// Last has the name of the last one.
func fieldComments(t *testing.T, name string) (comments, last map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "records.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments, last = make(map[string]string), make(map[string]string)
	for _, f := range file.Scope.Lookup(name).Decl.(*ast.TypeSpec).Type.(*ast.StructType).Fields.List {
		if len(f.Names) > 0 {
			first := f.Names[0].Name
			comments[first], last[first] = strings.TrimSpace(f.Comment.Text()), f.Names[len(f.Names)-1].Name
		}
	}
	return comments, last
}

// TestDrawings compares what format.go draws with the structs: each row is a field at its place, with its label,
// and of its size.
func TestDrawings(t *testing.T) {
	text, err := os.ReadFile("format.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, d := range drawn {
		t.Run(d.title, func(t *testing.T) {
			rows := readDrawing(t, lines, d.title)
			if d.kind != 0 {
				rows = checkHead(t, rows, d.kind)
			}
			checkFields(t, rows, reflect.TypeOf(d.record))
		})
	}
}

// checkHead compares the rows that all records have, and returns the others.
func checkHead(t *testing.T, rows []row, kind U) []row {
	t.Helper()
	want := []string{`magic "gprofrec"`, "kind " + strconv.FormatUint(kind, 10), "size of the record"}
	for i, label := range want {
		if i >= len(rows) || rows[i].first != i || !strings.HasPrefix(rows[i].label, label) {
			t.Fatalf("row %d is not %q: %v", i, label, rows)
		}
	}
	for len(rows) > 0 && rows[0].first < reflect.TypeFor[Head]().NumField() {
		rows = rows[1:]
	}
	return rows
}

// checkFields compares the rows with the fields of a struct. A row without a field stands behind all fields.
func checkFields(t *testing.T, rows []row, record reflect.Type) {
	t.Helper()
	comments, last := fieldComments(t, record.Name())
	drawn := make(map[string]bool)
	for _, r := range rows {
		if U(r.first)*8 >= U(record.Size()) {
			continue // text, or a region
		}
		first, ok := fieldAt(record, r.first)
		if !ok {
			t.Errorf("no field begins at word %d, %q", r.first, r.label)
			continue
		}
		drawn[first.Name] = true
		if !strings.HasPrefix(comments[first.Name], r.label) {
			t.Errorf("%s has the comment %q; drawn: %q", first.Name, comments[first.Name], r.label)
		}
		end, _ := record.FieldByName(last[first.Name])
		if words := int(end.Offset+end.Type.Size()) / 8; r.last >= 0 && words != r.last+1 {
			t.Errorf("%s ends before word %d; drawn: %d", end.Name, words, r.last+1)
		}
	}
	for name := range comments {
		if name != "_" && !drawn[name] {
			t.Errorf("%s is not drawn", name)
		}
	}
}

func fieldAt(record reflect.Type, word int) (reflect.StructField, bool) {
	for i := range record.NumField() {
		if f := record.Field(i); f.Offset == uintptr(word)*8 {
			return f, true
		}
	}
	return reflect.StructField{}, false
}
