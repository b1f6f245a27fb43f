package page

import (
	"embed"
	"html/template"
	"path"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets/dagre.min.js assets/icon.svg
var assets embed.FS

// asset returns an embedded file.
func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(data)
}

// links is where pages lead: "" where there is no such page.
type links struct {
	function func(*function) string
	path     func(f *function, id uint64) string
	pkg      func(*pkg) string
	file     func(*file) string
	line     func(f *function, line int) string
	paths    func(f *function, line int) string // that come to a line
	live     bool                               // a server answers
}

// newTemplates returns the templates of all pages, with links.
func newTemplates(l links) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"functionURL": l.function,
		"pathURL":     l.path,
		"packageURL":  l.pkg,
		"fileURL":     l.file,
		"lineURL":     l.line,
		"pathsURL":    l.paths,
		"live":        func() bool { return l.live },
		"count":       show.Count,
		"grouped":     func(n int) string { return show.Grouped(int64(n)) },
		"possible":    show.Possible,
		"percent":     func(n, of int) string { return show.Percent(int64(n), int64(of)) },
		"percent64":   show.Percent,
		"plural":      show.Plural,
		"title":       show.Title,
		"printable":   show.Printable,
		"word":        show.Word,
		"duration":    duration,
		"base":        path.Base,
		"steps":       func(steps []string) string { return strings.Join(steps, "→") },
		"part":        func(n, of int) float64 { return part(int64(n), int64(of)) },
		"part64":      part,
	}).ParseFS(templateFiles, "templates/*.html"))
}
