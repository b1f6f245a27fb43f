package page

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/look"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// server shows a site.
type server struct {
	*Site
	templates *template.Template
}

// Handler returns a handler of all pages. If loopback is true it is for a server at a loopback address; see look.Guard.
func (s *Site) Handler(loopback bool) http.Handler {
	srv := &server{s, newTemplates(links{functionURL, pathURL, packageURL, fileURL, lineURL, pathsURL, true})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", srv.overviewPage)
	mux.HandleFunc("GET /p/{package...}", srv.packagePage)
	mux.HandleFunc("GET /f/{function...}", srv.functionPage)
	mux.HandleFunc("GET /s/{file...}", srv.filePage)
	mux.HandleFunc("GET /search", srv.searchPage)
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.HandleFunc("GET /", srv.notFound)
	return look.Guard(loopback, mux)
}

// layout is what all pages have.
type layout struct {
	Title string
	Name  string // of the profile
	Query string
	Graph bool // the page has one to draw
	Page  any
}

// write writes a page, all of it or, if something is wrong with it, nothing.
func (s *server) write(w http.ResponseWriter, status int, name string, l layout) {
	l.Name = s.name
	var b bytes.Buffer
	if err := s.templates.ExecuteTemplate(&b, name, l); err != nil {
		panic("BUG: " + err.Error())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // who does not read on has closed the page
}

func (s *server) overviewPage(w http.ResponseWriter, r *http.Request) {
	s.write(w, http.StatusOK, "overview.html", layout{Page: s.overview})
}

// notFound is the page for addresses of nothing.
func (s *server) notFound(w http.ResponseWriter, r *http.Request) {
	s.write(w, http.StatusNotFound, "notfound.html", layout{Title: "Not in this profile", Query: path.Base(r.URL.Path)})
}

// packageView is the page of a package.
type packageView struct {
	*pkg
	Flow   int64 // of the whole profile
	All    *known.Flow
	Sorted string
	Orders []order
	Shares []share
}

// order is a way to sort the functions of a package.
type order struct {
	Key, Name string
	less      func(a, b *function) int
}

var orders = []order{
	{"flow", "Flow", func(a, b *function) int { return cmp.Compare(b.Coverage.Flow, a.Coverage.Flow) }},
	{"calls", "Calls", func(a, b *function) int { return cmp.Compare(b.Entries, a.Entries) }},
	{"paths", "Paths", func(a, b *function) int { return cmp.Compare(len(b.Paths), len(a.Paths)) }},
	{"missing", "Branches missing", func(a, b *function) int { return cmp.Compare(b.Missing(), a.Missing()) }},
	{"name", "Name", func(a, b *function) int { return cmp.Compare(a.Short, b.Short) }},
	{"source", "Source", func(a, b *function) int { return 0 }},
}

func (s *Site) newPackageView(p *pkg, sorted string) *packageView {
	i := max(0, slices.IndexFunc(orders, func(o order) bool { return o.Key == sorted }))
	v := &packageView{pkg: &pkg{p.Package, p.Coverage, slices.Clone(p.Functions), p.Files}, Flow: s.total.Flow, All: s.flow,
		Sorted: orders[i].Key, Orders: orders, Shares: shares(p.Package.Functions, p.Coverage)}
	slices.SortStableFunc(v.Functions, orders[i].less)
	return v
}

func (s *server) packagePage(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(s.packages, func(p *pkg) bool { return p.Path == r.PathValue("package") })
	if i < 0 {
		s.notFound(w, r)
		return
	}
	p := s.packages[i]
	s.write(w, http.StatusOK, "package.html", layout{Title: show.Printable(path.Base(p.Path)), Page: s.newPackageView(p, r.FormValue("sort"))})
}

func (s *server) filePage(w http.ResponseWriter, r *http.Request) {
	at := s.fileByID[r.PathValue("file")]
	if at == nil {
		s.notFound(w, r)
		return
	}
	s.write(w, http.StatusOK, "file.html", layout{Title: at.Base(), Page: s.newFileView(at)})
}

func (s *server) functionPage(w http.ResponseWriter, r *http.Request) {
	f := s.byID[r.PathValue("function")]
	if f == nil {
		s.notFound(w, r)
		return
	}
	line, lineErr := strconv.Atoi(r.FormValue("line"))
	if lineErr == nil && r.FormValue("part") != "" { // below a line of its file
		s.write(w, http.StatusOK, "through", layout{Page: s.newThroughView(f, line)})
		return
	}
	id, err := strconv.ParseUint(r.FormValue("path"), 10, 64)
	selected := f.pathOf(id)
	if err != nil {
		selected = nil
	}
	most := shownPaths
	if r.FormValue("all") != "" || lineErr == nil { // any path may come through the line
		most = len(f.Paths)
	}
	s.write(w, http.StatusOK, "function.html", layout{Title: f.Short, Graph: !f.Declined(), Page: s.newFunctionView(f, selected, most)})
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	switch name := r.PathValue("file"); name {
	case "page.css":
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(look.CSS))
	case "page.js":
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(look.JS))
	default:
		http.ServeFileFS(w, r, assets, "assets/"+name)
	}
}
