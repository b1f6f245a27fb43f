package audit

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/look"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"duration": duration,
	"letter":   Letter,
	"count":    func(n int) string { return show.Grouped(int64(n)) },
	"calls":    func(n uint64) string { return show.Grouped(int64(n)) },
}).Parse(pageText))

// WriteHTML writes the report as a page that needs no other file.
func (r *Report) WriteHTML(w io.Writer) error {
	type function struct {
		*Function
		Verdict string
		Plot    template.HTML
		Sources []sideBySide
	}
	page := struct {
		*Report
		Command   string
		Functions []function
		Policy    string
		Style     template.CSS
		Script    template.JS
	}{
		Report: r, Command: show.Printable(strings.Join(r.Command, " ")), Style: template.CSS(look.CSS), Script: template.JS(look.JS),
		Policy: fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", look.Hash(look.JS), look.Hash(look.CSS)),
	}
	for i := range r.Functions {
		one := &Report{Confidence: r.Confidence, Functions: r.Functions[i : i+1]}
		var b strings.Builder
		if err := one.WriteSVG(&b); err != nil {
			return err
		}
		f := &r.Functions[i]
		page.Functions = append(page.Functions, function{f, f.Verdict(r.Confidence), template.HTML(b.String()), f.sources()}) // of our own template
	}
	return pageTemplate.Execute(w, page)
}
