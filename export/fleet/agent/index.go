package agent

import (
	"bytes"
	"html/template"
	"net/http"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
)

// index lists what there is.
func (h *handler) index(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	now := h.Now()
	view := struct {
		Services []Service
		Unread   follow.Unread
		Kinds    []kind
		Root     string // of the server
	}{now.Services(), now.unread, kinds, "http://" + r.Host}
	if r.TLS != nil {
		view.Root = "https://" + r.Host
	}
	if err := indexPage.Execute(&b, view); err != nil {
		panic("BUG: " + err.Error())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes())
}

// Name and About are for the page.
func (k kind) Name() string  { return k.name }
func (k kind) About() string { return k.about }

var indexPage = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>/debug/pprof/</title></head>
<body>
<h1>goprofinstr</h1>
{{if .Services}}<table>
<tr><th>Service<th>Processes<th>Ended<th>Profiles
{{range .Services}}{{$service := .Name}}<tr><td>{{.Name}}<td>{{.Alive}}<td>{{.Ended}}<td>
{{range $.Kinds}}<a href="/debug/pprof/{{.Name}}?service={{$service}}">{{.Name}}</a> {{end}}
{{end}}</table>{{else}}<p>No program has recorded anything yet.</p>{{end}}
{{with .Unread}}{{if or .Versions .Others}}<p>Run files that are passed over:
{{.Versions}} of another version of goprofinstr, {{.Others}} with something else wrong.</p>
{{end}}{{end}}<ul>
{{range .Kinds}}<li><a href="/debug/pprof/{{.Name}}">{{.Name}}</a>: {{.About}}
{{end}}</ul>
<p>With ?seconds=5 a profile has what is counted in that time: <code>go tool pprof {{.Root}}/debug/pprof/calls?seconds=5</code></p>
</body>
</html>
`))
