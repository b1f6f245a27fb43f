package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// errNoTests is the error for profiles that do not tell tests apart.
var errNoTests = errors.New("the paths of each test were not recorded: run goprofinstr wrap -per-test go test")

// WritePathTests writes which tests take a path, given as "pkg.F#3". Of the function's name the end is enough if it is
// that of one only.
func WritePathTests(w io.Writer, p *profile.Profile, name string) error {
	if p.Tests == nil {
		return errNoTests
	}
	f, path, err := findPath(p, name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	writePathTitle(out, code.New(p), f, path)
	fmt.Fprintf(out, "executed %s\n\n", times(path.Count))
	for _, t := range p.Tests {
		for _, tp := range t.Paths {
			if tp.Path == path {
				fmt.Fprintf(out, "%15s  %s\n", show.Count(tp.Count), show.ShortenLeft(show.Printable(t.Title()), show.Width-17))
			}
		}
	}
	return out.Flush()
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return show.Grouped(n) + " times"
}

// writePathTitle writes what a path is: its name, what happens on it, and where.
func writePathTitle(w io.Writer, texts *code.Texts, f *profile.Function, path *profile.Path) {
	id := fmt.Sprintf("#%d", path.ID)
	fmt.Fprintf(w, "%s%s\n", show.ShortenLeft(show.Printable(f.Table.Name), show.Width-len(id)), id)
	fmt.Fprint(w, show.FillSteps(texts.Of(f).Path(path), "    "))
	at := fmt.Sprintf(":%d  ", f.Lines(path)[0])
	file := show.ShortenLeft(show.Printable(f.Table.File), 40)
	fmt.Fprintf(w, "    %s%s%s\n", file, at, show.FitSteps(f.Steps(path), show.Width-4-len([]rune(file))-len(at)))
}

// findPath finds "pkg.F#3".
func findPath(p *profile.Profile, name string) (*profile.Function, *profile.Path, error) {
	function, number, ok := strings.Cut(name, "#")
	id, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil {
		return nil, nil, fmt.Errorf("%q names no path; want a function and the number of its path, such as pkg.F#3", name)
	}
	f, err := findFunction(p, function)
	if err != nil {
		return nil, nil, err
	}
	for i := range f.Paths {
		if f.Paths[i].ID == id {
			return f, &f.Paths[i], nil
		}
	}
	switch n := f.Table.Values.NumPaths; {
	case f.Declined():
		return nil, nil, fmt.Errorf("%s has no paths: %s", f.Table.Name, f.Table.Declined)
	case id < n:
		return nil, nil, fmt.Errorf("path %d of %s was not executed", id, f.Table.Name)
	default:
		return nil, nil, fmt.Errorf("%s has no path %d: they are numbered from 0 to %d", f.Table.Name, id, n-1)
	}
}

// findFunction finds the function with a name, or the only one whose name ends so.
func findFunction(p *profile.Profile, name string) (*profile.Function, error) {
	var found []*profile.Function
	for _, f := range p.Functions() {
		if f.Table.Name == name {
			return f, nil
		}
		if strings.HasSuffix(f.Table.Name, "/"+name) || strings.HasSuffix(f.Table.Name, "."+name) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no function %s in the profile", name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%s can be %s or %s; give more of the name", name, found[0].Table.Name, found[1].Table.Name)
}

// likeTest says which tests have a word in their names, at most three, "" if none has.
func likeTest(p *profile.Profile, word string) string {
	var like []string
	for _, t := range p.Tests {
		if !strings.Contains(t.Name, "/") && strings.Contains(strings.ToLower(t.Name), strings.ToLower(word)) {
			like = append(like, t.Name)
		}
	}
	slices.Sort(like)
	if like = slices.Compact(like); len(like) == 0 {
		return ""
	}
	return "; there is " + show.Printable(strings.Join(like[:min(3, len(like))], ", "))
}

// WriteTestPaths writes the paths that only a test takes, with its subtests: what would not be covered without it.
func WriteTestPaths(w io.Writer, p *profile.Profile, name string) error {
	if p.Tests == nil {
		return errNoTests
	}
	took, others := make(map[*profile.Path]int64), make(map[*profile.Path]bool)
	tests := 0
	for _, t := range p.Tests {
		is := t.Is(name)
		if is {
			tests++
		}
		for _, tp := range t.Paths {
			if is {
				took[tp.Path] += tp.Count
			} else {
				others[tp.Path] = true
			}
		}
	}
	if tests == 0 {
		return fmt.Errorf("no test %s in the profile%s", name, likeTest(p, name))
	}
	only := 0
	for path := range took {
		if !others[path] {
			only++
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s takes %s; only it takes %s\n",
		show.ShortenLeft(show.Printable(name), 40), show.Plural(len(took), "path"), show.Grouped(int64(only)))
	texts := code.New(p)
	for _, f := range p.Functions() {
		for i := range f.Paths {
			if path := &f.Paths[i]; took[path] > 0 && !others[path] {
				fmt.Fprintln(out)
				writePathTitle(out, texts, f, path)
				fmt.Fprintf(out, "    executed %s\n", times(took[path]))
			}
		}
	}
	return out.Flush()
}
