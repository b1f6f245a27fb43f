package browser_test

import (
	"bufio"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/browser"
	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
)

// view starts goprofinstr view for a profile and returns the address that it prints.
func view(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command(goprofinstr, "view", "-http", "localhost:0", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("view: %v", err)
	}
	return strings.TrimSpace(line)
}

// hottest returns the path of the highest flow of a function in the profile in dir.
func hottest(t *testing.T, dir, name string) (*profile.Function, *profile.Path) {
	t.Helper()
	p, err := profile.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Functions() {
		if f.Table.Name == name {
			best := slices.MaxFunc(f.Paths, func(a, b profile.Path) int { return cmp.Compare(a.Flow(), b.Flow()) })
			return f, &best
		}
	}
	t.Fatalf("no function %s in the profile", name)
	return nil, nil
}

// numbered are the lines that the selected path is drawn through, each with the number of its first step there. highlighted are
// the lines of which a part is highlighted.
const (
	numbered    = `[...document.querySelectorAll(".source .track b")].map(b => b.closest("tr").dataset.l + " " + parseInt(b.textContent))`
	highlighted = `[...new Set([...document.querySelectorAll(".source [data-b].on")].map(s => +s.closest("tr").dataset.l))]`
)

// checkPath holds the path that is drawn through the source against the profile.
func checkPath(t *testing.T, b *browser.Browser, f *profile.Function, p *profile.Path) {
	t.Helper()
	want := f.Lines(p)
	first := make(map[int]int)
	for i, l := range want {
		if first[l] == 0 {
			first[l] = i + 1
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	var steps []string
	for _, l := range want {
		steps = append(steps, fmt.Sprintf("%d %d", l, first[l]))
	}
	if got := browser.Value[[]string](b, numbered); !slices.Equal(got, steps) {
		t.Errorf("path %d is drawn through the lines and steps %v, want %v", p.ID, got, steps)
	}
	on := make(map[int]bool)
	for _, edge := range append([]int{-1}, p.Edges...) {
		block := f.Table.Blocks[p.Start]
		if edge >= 0 {
			block = f.Table.Blocks[f.Table.Edges[edge].To]
		}
		for l := block.Line; l > 0 && l <= block.EndLine; l++ {
			on[l] = true
		}
	}
	got := browser.Value[[]int](b, highlighted)
	for _, l := range got {
		if !on[l] {
			t.Errorf("line %d is highlighted, which is not on path %d", l, p.ID)
		}
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			t.Errorf("line %d is not highlighted, which is on path %d", l, p.ID)
		}
	}
}

// checkFilter clicks on the count of a line of a path: of the others only those that do not come to it may go.
func checkFilter(t *testing.T, b *browser.Browser, f *profile.Function, p *profile.Path) {
	t.Helper()
	lines := f.Lines(p)
	line := lines[len(lines)-2]
	b.WaitFor(fmt.Sprintf(`document.querySelector('.source tr[data-l="%d"] .x').click() === undefined`, line))
	hidden := browser.Value[[]string](b, `[...document.querySelectorAll("tr[data-path]")].filter(r => r.hidden).map(r => r.dataset.path)`)
	if len(hidden) == 0 || len(hidden) == len(f.Paths) {
		t.Errorf("%d of %d paths are not listed as going through line %d", len(hidden), len(f.Paths), line)
	}
	for i := range f.Paths {
		if q := &f.Paths[i]; slices.Contains(hidden, fmt.Sprint(q.ID)) && slices.Contains(f.Lines(q), line) {
			t.Errorf("path %d is not listed, which goes through line %d", q.ID, line)
		}
	}
}

// TestViewGoldmark does what a user does: searches a function by the keyboard, selects its hottest path, looks at the graph,
// in both themes.
func TestViewGoldmark(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests another module, and opens a browser")
	}
	browser.Need(t)
	dir := fetch.ForTest(t, "github.com/yuin/goldmark", "v1.8.7")
	run(t, dir, "wrap", "-o", "out", "go", "test", "-skip=Performance$", ".") // without tests that fail on busy machines
	const name = "github.com/yuin/goldmark/renderer/html.(*defaultWriter).Write"
	f, path := hottest(t, filepath.Join(dir, "out"), name)

	b := browser.Open(t)
	b.Go(view(t, filepath.Join(dir, "out")))
	b.Type("/")
	b.WaitFor(`document.activeElement.id === "search"`)
	b.Type("defaultwriter write")
	b.WaitFor(`document.querySelector("#found [aria-selected=true] b")?.textContent === "html.(*defaultWriter).Write"`)
	b.Type("\r")
	b.WaitFor(`document.readyState === "complete" && document.querySelector("h1").textContent.startsWith("html.(*defaultWriter).Write")`)
	b.Type("j")
	b.WaitFor(fmt.Sprintf(`location.search === "?path=%d"`, path.ID))
	checkPath(t, b, f, path)
	b.Type("g")
	b.WaitFor(`document.querySelector(".graph svg .node.on")`)
	if got := browser.Value[int](b, `document.querySelectorAll(".graph .edge.on").length`); got != len(path.Edges) {
		t.Errorf("%d edges of the graph are on the path, want %d", got, len(path.Edges))
	}
	checkFilter(t, b, f, path)
	b.Type("\x1b")
	if n := browser.Value[int](b, `document.querySelectorAll(".on").length`); n != 0 {
		t.Errorf("%d elements are still on a path that is not selected any more", n)
	}

	colours := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		colours[browser.Value[string](b, `getComputedStyle(document.documentElement).backgroundColor`)] = true
	}
	b.Type("t") // from what the system says to light
	colours[browser.Value[string](b, `getComputedStyle(document.documentElement).backgroundColor`)] = true
	if len(colours) != 2 {
		t.Errorf("backgrounds %v, want one for each theme", colours)
	}
	b.CheckConsole()
}

// hostile is a program whose names and texts would be more than text on a careless page.
const hostile = `package main

// </script><script>hacked=1</script> and <img src=x onerror="hacked=1">

func main() {
	æ测试_ˮonloadˮ("</script><script>hacked=1</script>", '"')
	æ测试_ˮonloadˮ("</td></table><!-- <img src=x onerror=hacked=1>", '\'')
}

func æ测试_ˮonloadˮ(s string, r rune) {
	for range s { // "><svg onload=hacked=1>
		if r == '"' || s == ` + "`</style><style>*{display:none}</style>`" + ` {
			println("{{.}}<base href=//example.invalid>")
		}
	}
}
`

// TestViewHostile opens the pages of the program, and the report in one file, and finds text in them.
func TestViewHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program, and opens a browser")
	}
	browser.Need(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/hostile\n\ngo 1.26\n", "ʺonload＝x＜script＞.go": hostile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "wrap", "-mode", "exact", "go", "run", ".")
	out := filepath.Join(dir, "goprofinstr.out")
	const name = "example.com/hostile.æ测试_ˮonloadˮ"
	f, path := hottest(t, out, name)

	home := view(t, out)
	address := home + strings.TrimPrefix((&url.URL{Path: "/f/" + name}).String(), "/") + fmt.Sprintf("?path=%d", path.ID)
	b := browser.Open(t)
	checkLateSearch(b, home)
	for _, page := range []string{home, home + "search?q=%3Cscript%3Ehacked=1", address} {
		b.Go(page)
		checkInert(t, b, page)
	}
	checkPath(t, b, f, path)
	shown := browser.Value[string](b, `[...document.querySelectorAll(".source .code > span:not(.chips)")].map(s => s.textContent).join("")`)
	if !strings.Contains(shown, `"{{.}}<base href=//example.invalid>"`) || !strings.Contains(shown, `// "><svg onload=hacked=1>`) {
		t.Errorf("the source is shown as\n%s", shown)
	}

	report := filepath.Join(dir, "report.html")
	run(t, dir, "report", "-format", "html", "-o", report, out)
	b.Go((&url.URL{Scheme: "file", Path: report, Fragment: fmt.Sprintf("f-%s~%d", name, path.ID)}).String())
	checkInert(t, b, "report")
	checkPath(t, b, f, path)
	b.CheckConsole()
}

// checkLateSearch presses Enter where the server does not answer what was typed last: no result of what was typed before is
// opened.
func checkLateSearch(b *browser.Browser, home string) {
	b.Go(home)
	b.Type("/")
	b.WaitFor(`document.activeElement.id === "search"`)
	b.Type("hostile")
	b.WaitFor(`document.querySelector("#found [aria-selected=true]")`)
	b.Do(`window.fetch = () => Promise.reject(new Error("no answer"))`)
	b.Type("x\r")
	b.WaitFor(`document.readyState === "complete" && location.pathname + location.search === "/search?q=hostilex"`)
}

// checkInert looks for what the page should not have.
func checkInert(t *testing.T, b *browser.Browser, page string) {
	t.Helper()
	if browser.Value[bool](b, `typeof hacked !== "undefined"`) {
		t.Errorf("%s: a script of the program has run", page)
	}
	if n := browser.Value[int](b, `document.querySelectorAll("main script:not(.data), main style, main img, main base, main [onload], main [onerror]").length`); n != 0 {
		t.Errorf("%s: %d elements of the program's", page, n)
	}
	if browser.Value[string](b, `getComputedStyle(document.body).display`) == "none" {
		t.Errorf("%s: a style of the program's applies", page)
	}
}
