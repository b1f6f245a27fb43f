package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/url"
)

// The report is one file, which people attach and keep: at most maxReport bytes with the details of as many functions as
// fit in, and of no more than a browser opens at once without a pause.
const (
	maxReport    = 4_500_000
	maxDetailed  = 500
	reportPaths  = 30 // of a function
	reportPolicy = "default-src 'none'; script-src %s %s; style-src %s; base-uri 'none'; form-action 'none'"
)

// reportView is all that is in the report.
type reportView struct {
	Name     string
	Policy   string
	Style    template.CSS
	Script   template.JS
	Layout   template.JS
	Overview *overview
	Packages []*packageView
	Detailed []*functionView
	All      int // functions
}

// WriteReport writes the first page, the functions of all packages, and what the pages of the hottest functions have, as one file that needs no
// other and no network.
func (s *Site) WriteReport(w io.Writer) error {
	v := &reportView{
		Name: s.name, Overview: s.overview, All: len(s.functions),
		Style: template.CSS(asset("page.css")), Script: template.JS(asset("page.js")), Layout: template.JS(asset("dagre.min.js")),
	}
	v.Policy = fmt.Sprintf(reportPolicy, hash(string(v.Script)), hash(string(v.Layout)), hash(string(v.Style)))
	for _, p := range s.packages {
		v.Packages = append(v.Packages, s.newPackageView(p, "flow"))
	}
	included := make(map[*function]bool)
	templates := newTemplates(reportLinks(included))
	size, err := lengthOf(templates, "report.html", v)
	for _, f := range s.functions[:min(maxDetailed, len(s.functions))] {
		if err != nil || !f.Executed() {
			break
		}
		included[f] = true // so that what links to it is counted as well
		detail := s.newFunctionView(f, nil, reportPaths)
		n, e := lengthOf(templates, "detail", detail)
		err = e
		if size += n + linkSize*len(f.ID); size > maxReport {
			delete(included, f)
			break
		}
		v.Detailed = append(v.Detailed, detail)
	}
	if err != nil {
		return err
	}
	return templates.ExecuteTemplate(w, "report.html", v)
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
		paths:    func(f *function, line int) string { return "" },
		pkg:      func(p *pkg) string { return (&url.URL{Fragment: "p-" + p.Path}).String() },
	}
}

// hash is a source in a policy: the hash of a script or style that is in the page.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func lengthOf(t *template.Template, name string, data any) (int, error) {
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, name, data)
	return b.Len(), err
}
