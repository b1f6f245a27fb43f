package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
)

// The report is one file, which people attach and keep: at most maxReport bytes with the details of as many functions as
// fit in, and of no more than a browser opens at once without a pause. A third of the room is for whole files.
const (
	maxReport    = 4_500_000
	maxDetailed  = 500
	maxLarge     = 50 // functions, or files, that do not fit before no more are tried: each has to be painted to know
	reportPaths  = 30 // of a function
	reportPolicy = "default-src 'none'; script-src %s %s; style-src %s; base-uri 'none'; form-action 'none'"
)

// reportView is all that is in the report.
type reportView struct {
	single
	Name     string
	Overview *overview
	Packages []*packageView
	Detailed []*functionView
	All      int // functions
	Files    []*fileView
	AllFiles int
}

// WriteReport writes the first page, the functions of all packages, and what the pages of the hottest functions and files have,
// as one file that needs no other and no network.
func (s *Site) WriteReport(w io.Writer) error {
	v := &reportView{
		single: newSingle(true), Name: s.name, Overview: s.overview, All: len(s.functions), AllFiles: len(s.files),
	}
	for _, p := range s.packages {
		v.Packages = append(v.Packages, s.newPackageView(p, "flow"))
	}
	included := make(map[*function]bool)
	templates := newTemplates(reportLinks(included))
	size, err := lengthOf(templates, "report.html", v)
	if err == nil {
		size, err = s.addDetails(v, templates, included, size)
	}
	if err == nil {
		err = s.addReportFiles(v, templates, size)
	}
	if err != nil {
		return err
	}
	return templates.ExecuteTemplate(w, "report.html", v)
}

// addDetails adds what the pages of the hottest functions have, as much as there is room for, and returns the size then.
func (s *Site) addDetails(v *reportView, templates *template.Template, included map[*function]bool, size int) (int, error) {
	room := size + (maxReport-size)*2/3
	large := 0 // functions that did not fit
	for _, f := range s.functions[:min(maxDetailed, len(s.functions))] {
		if !f.Executed() {
			break
		}
		included[f] = true // so that what links to it is counted as well
		detail := s.newFunctionView(f, nil, reportPaths)
		n, err := lengthOf(templates, "detail", detail)
		if err != nil {
			return size, err
		}
		if n += linkSize * len(f.ID); size+n > room {
			delete(included, f)
			if large++; large == maxLarge {
				break
			}
			continue // a smaller one may fit
		}
		size += n
		v.Detailed = append(v.Detailed, detail)
	}
	return size, nil
}

// addReportFiles adds whole files, those with most flow first, as there is still room for them.
func (s *Site) addReportFiles(v *reportView, templates *template.Template, size int) error {
	files := slices.Clone(s.files)
	slices.SortStableFunc(files, func(a, b *file) int { return cmp.Compare(b.Coverage.Flow, a.Coverage.Flow) })
	large := 0 // files that did not fit
	for _, at := range files {
		if at.Coverage.FunctionsExecuted == 0 {
			break
		}
		one := s.newFileView(at)
		n, err := lengthOf(templates, "filedetail", one)
		if err != nil {
			return err
		}
		if size+n > maxReport {
			if large++; large == maxLarge {
				break
			}
			continue // a smaller one may fit
		}
		size += n
		v.Files = append(v.Files, one)
	}
	return nil
}

// linkSize is how often the name of a function is in links to it, or a little more.
const linkSize = 5

// reportLinks leads to what is in the same file.
func reportLinks(included map[*function]bool) links {
	to := func(f *function, suffix string) string {
		if !included[f] {
			return ""
		}
		return (&url.URL{Fragment: "f-" + f.ID + suffix}).String()
	}
	return links{
		function: func(f *function) string { return to(f, "") },
		path:     func(f *function, id uint64) string { return to(f, fmt.Sprintf("~%d", id)) },
		file:     func(*file) string { return "" },
		line:     func(f *function, line int) string { return to(f, fmt.Sprintf("~L%d", line)) },
		paths:    func(f *function, line int) string { return to(f, fmt.Sprintf("~P%d", line)) },
		pkg:      func(p *pkg) string { return (&url.URL{Fragment: "p-" + p.Path}).String() },
	}
}

func lengthOf(t *template.Template, name string, data any) (int, error) {
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, name, data)
	return b.Len(), err
}
