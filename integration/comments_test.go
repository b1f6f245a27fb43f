package integration

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// How long sentences of comments may be.
const (
	mostWords   = 25   // of a sentence that counts as short
	mostLong    = 0.05 // of all sentences: the share that may be longer
	worstListed = 20   // packages that a failure names
)

// TestComments counts the long sentences of comments in all packages.
//
//	go test ./integration -run TestComments -v
//
// lists the packages that have most of them.
func TestComments(t *testing.T) {
	packages := make(map[string]*length)
	var all length
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "../")
		if packages[dir] == nil {
			packages[dir] = new(length)
		}
		for _, s := range fileSentences(f) {
			packages[dir].add(s)
			all.add(s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	report := t.Logf
	if all.share() > mostLong {
		report = t.Errorf
	}
	report("%v; at most %.0f%% may have\n%s", all, 100*mostLong, worst(packages))
}

// length says how long sentences are.
type length struct {
	sentences int
	long      int // those of more than mostWords words
}

func (l *length) add(sentence string) {
	l.sentences++
	if len(strings.Fields(sentence)) > mostWords {
		l.long++
	}
}

func (l length) share() float64 { return float64(l.long) / float64(max(l.sentences, 1)) }

func (l length) String() string {
	return fmt.Sprintf("%d of %d sentences (%.2f%%) have more than %d words", l.long, l.sentences, 100*l.share(), mostWords)
}

// worst returns a line for each of the packages that have the most long sentences.
func worst(packages map[string]*length) string {
	var dirs []string
	for dir := range packages {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(packages[b].long-packages[a].long, strings.Compare(a, b))
	})
	var b strings.Builder
	for _, dir := range dirs[:min(worstListed, len(dirs))] {
		fmt.Fprintf(&b, "%s: %v\n", dir, *packages[dir])
	}
	return b.String()
}

// fileSentences returns the sentences of a file's comments, none if the file is generated. Left out are directives and the
// expected output of examples.
func fileSentences(f *ast.File) (list []string) {
	if ast.IsGenerated(f) {
		return nil
	}
	for _, group := range f.Comments {
		if text := group.Text(); !exampleOutput.MatchString(text) {
			list = append(list, commentSentences(text)...)
		}
	}
	return list
}

// exampleOutput matches the comment that go test compares with the output of an example.
var exampleOutput = regexp.MustCompile(`(?i)^(unordered )?output:`)

// commentSentences returns the sentences of a comment without its slashes. A paragraph and an item of a list end the sentence in
// them. Code has no sentences.
func commentSentences(text string) []string {
	return blockSentences(new(comment.Parser).Parse(text).Content)
}

func blockSentences(blocks []comment.Block) (list []string) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Paragraph:
			list = append(list, sentences(plain(b.Text))...)
		case *comment.Heading:
			list = append(list, sentences(plain(b.Text))...)
		case *comment.List:
			for _, item := range b.Items {
				list = append(list, blockSentences(item.Content)...)
			}
		}
	}
	return list
}

// plain returns text without what marks links.
func plain(text []comment.Text) string {
	var b strings.Builder
	for _, t := range text {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		case *comment.Link:
			b.WriteString(plain(t.Text))
		case *comment.DocLink:
			b.WriteString(plain(t.Text))
		}
	}
	return b.String()
}

// sentences divides a paragraph. A sentence of one word is left out.
func sentences(paragraph string) (list []string) {
	var words []string
	end := func() {
		if len(words) > 1 {
			list = append(list, strings.Join(words, " "))
		}
		words = nil
	}
	for _, word := range strings.Fields(paragraph) {
		words = append(words, word)
		if endsSentence(word) {
			end()
		}
	}
	end()
	return list
}

// endsSentence says whether a word is the last of a sentence. The next word does not tell: sentences may begin with the name
// of something unexported.
func endsSentence(word string) bool {
	word = strings.TrimLeft(strings.TrimRight(word, "\"'`”’)]"), "\"'`“‘([")
	if !strings.HasSuffix(word, ".") {
		return len(word) > 1 && strings.ContainsAny(word[len(word)-1:], "!?") // alone it is an operator
	}
	return !strings.HasSuffix(word, "..") && !initial.MatchString(word) && !slices.Contains(abbreviations, word)
}

// initial matches an initial of a name. A sentence that ends with a capital letter by itself is taken together with the next.
var initial = regexp.MustCompile(`^[A-Z]\.$`)

// abbreviations end no sentence.
var abbreviations = []string{"e.g.", "i.e.", "cf.", "vs.", "al.", "pp.", "Fig.", "Sec.", "Vol.", "No."}

func TestSentences(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"one", "Counts are words.\n", []string{"Counts are words."}},
		{"wrapped", "Counts\nare words.  Blocks are more.\n", []string{"Counts are words.", "Blocks are more."}},
		{"without a full stop", "bytes of a file\n", []string{"bytes of a file"}},
		{"one word", "bytes\n", nil},
		{"small letter", "Add is pure. add is not.\n", []string{"Add is pure.", "add is not."}},
		{"closed", "(So it is.) \"Is it so?\" It is!\n", []string{"(So it is.)", "\"Is it so?\"", "It is!"}},
		{"colon", "Two are left: These stay; Others go.\n", []string{"Two are left: These stay; Others go."}},
		{"names in code", "It calls os.Exit in main.go at 1.5 ns.\n", []string{"It calls os.Exit in main.go at 1.5 ns."}},
		{"abbreviations", "Some (e.g. loops) stay, cf. A. Author et al. 1996.\n",
			[]string{"Some (e.g. loops) stay, cf. A. Author et al. 1996."}},
		{"an operator", "A number of ! before it. So is `?` of C.\n", []string{"A number of ! before it.", "So is `?` of C."}},
		{"a variable", "It is that of p. It is more.\n", []string{"It is that of p.", "It is more."}},
		{"dots", "go test ./... runs a, b, ... and c.\n", []string{"go test ./... runs a, b, ... and c."}},
		{"paragraphs", "The parts are\n\nof no account.\n", []string{"The parts are", "of no account."}},
		{"list", "There are\n  - small ones, which\n    are many\n  - large ones. They are few.\n",
			[]string{"There are", "small ones, which are many", "large ones.", "They are few."}},
		{"code", "Run it\n\n\tgo test . And wait for it.\n\nat night.\n", []string{"Run it", "at night."}},
		{"heading", "# Of two words\n\nText has more.\n", []string{"Of two words", "Text has more."}},
		{"links", "A [Counter] has [os.File] from [here].\n\n[here]: https://example.com\n",
			[]string{"A [Counter] has os.File from here."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := gocmp.Diff(test.want, commentSentences(test.text)); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFileSentences has comments at all places of a file. A directive and the output of an example have no sentences.
func TestFileSentences(t *testing.T) {
	const source = `// Package p is one.
package p

//go:generate true and false

// It has a directive.
//
//go:noinline
func f() { // Body of it.
/*
Two lines
are one.
*/
	g() // a trailing one
	h() // and another
	// Output:
	// no sentence of ours
}
`
	for _, test := range []struct {
		text string
		want []string
	}{
		{source, []string{"Package p is one.", "It has a directive.", "Body of it.", "Two lines are one.", "a trailing one", "and another"}},
		{"// Code generated by a test. DO NOT EDIT.\n\n" + source, nil},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", test.text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(test.want, fileSentences(f)); diff != "" {
			t.Errorf("sentences (-want +got):\n%s", diff)
		}
	}
}

// TestLength has one sentence of as many words as may be, and one of one more.
func TestLength(t *testing.T) {
	var l length
	l.add(strings.Repeat("word ", mostWords))
	l.add(strings.Repeat("word ", mostWords+1))
	if want := (length{sentences: 2, long: 1}); l != want || l.share() != 0.5 {
		t.Errorf("%+v, share %v, want %+v, 0.5", l, l.share(), want)
	}
}
