package browser_test

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/browser"
	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
)

var pictures = flag.String("pictures", "", "for TestPhone: write pictures of the pages to a folder")

// phone is how wide a window is on a phone, in pixels.
const phone = 390

// widest is the right edge of the widest element, in pixels, and what it is. A graph is scrolled in a frame of its own.
const widest = `(() => {
	let most = [document.documentElement.scrollWidth, "page"];
	for (const e of document.querySelectorAll("body *")) {
		if (e.closest(".graph, .skip, .visually-hidden")) continue;
		const right = Math.ceil(e.getBoundingClientRect().right);
		if (right > most[0]) most = [right, e.tagName + "." + e.className + " " + e.textContent.slice(0, 60)];
	}
	return most.join(" ");
})()`

// checkWidth holds that nothing on a page is wider than the window of a phone.
func checkWidth(t *testing.T, b *browser.Browser, name string) {
	t.Helper()
	if browser.Value[int](b, "parseInt("+widest+")") > phone {
		t.Errorf("%s, %s: %s", name, browser.Value[string](b, "location.href"), browser.Value[string](b, widest))
	}
	if *pictures != "" {
		b.Picture(filepath.Join(*pictures, name+".jpg"))
	}
}

// inFile is the address of a page in a file.
func inFile(dir, name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.Join(dir, name)}).String()
}

// TestPhonePages opens the pages of a comparison and of an audit as TestPhone does, in the light and in the dark.
func TestPhonePages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests another module, and opens a browser")
	}
	browser.Need(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "versions"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "go.mod.txt"), filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "wrap", "-o", "one", "go", "test", "-run=TestOne")
	run(t, dir, "wrap", "-o", "two", "go", "test", "-run=TestTwo")
	diff := run(t, dir, "diff", "-format", "html", "one", "two")
	if err := os.WriteFile(filepath.Join(dir, "diff.html"), diff, 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "audit", "-o", "audit", "go", "test", "-run=^$", "-bench=.", "-benchtime=20000x")
	b := browser.Open(t)
	b.Size(phone, 844)
	for _, page := range []struct{ name, shows string }{
		{"diff.html", `document.querySelectorAll("#appeared, #vanished").length === 2`},
		{"audit/audit.html", `document.querySelectorAll(".beside tbody tr").length > 5 && document.querySelector(".plot polygon")`},
	} {
		b.Go(inFile(dir, page.name))
		var shades []string
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(scheme)
			checkWidth(t, b, filepath.Base(page.name)+scheme)
			shades = append(shades, browser.Value[string](b, "getComputedStyle(document.documentElement).backgroundColor"))
		}
		if shades[0] == shades[1] {
			t.Errorf("%s is %s in the light and in the dark", page.name, shades[0])
		}
		if !browser.Value[bool](b, "!!("+page.shows+")") {
			t.Errorf("%s: not so: %s", page.name, page.shows)
		}
	}
	b.CheckConsole()
}

// TestPhone opens a page of each kind in a window of a phone. Nothing may be wider, and the source of a function must
// come before the list of its paths.
func TestPhone(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests another module, and opens a browser")
	}
	browser.Need(t)
	dir := fetch.ForTest(t, "github.com/yuin/goldmark", "v1.8.7")
	const name = "f/github.com/yuin/goldmark/renderer/html.(*defaultWriter).Write"
	const file = "s/github.com/yuin/goldmark/renderer/html/html.go"
	for _, mode := range []string{"exact", "sampled"} {
		run(t, dir, "wrap", "-mode", mode, "-o", mode, "go", "test", "-skip=Performance$", ".")
		out := filepath.Join(dir, mode)
		run(t, dir, "report", "-format", "html", "-o", mode+".html", out)
		home := view(t, out)
		b := browser.Open(t)
		b.Size(phone, 844)
		pages := []string{
			home, home + "p/github.com/yuin/goldmark/renderer/html", home + name, home + name + "?path=1", home + "f/none",
			home + "search?q=renderer", inFile(dir, mode+".html"), home + file,
		}
		for i, page := range pages {
			b.Go(page)
			checkWidth(t, b, fmt.Sprint(mode, i))
		}
		b.Do(`document.querySelector(".x a").click()`) // on the page of the file
		b.WaitFor(`document.querySelector(".below .steps")`)
		checkWidth(t, b, mode+"through")
		line := `document.querySelector('tr.flash[data-l="850"]')`
		for _, link := range []string{home + name + "#L850", home + name + "?line=850", inFile(dir, mode+".html") + "#" + strings.Replace(name, "/", "-", 1) + "~P850"} {
			b.Go(link)
			b.WaitFor(line) // a link shows the line, and lists the paths through it if it says so
			if strings.Contains(link, "#L") != browser.Value[bool](b, line+`.closest("article").querySelector(".through").hidden`) {
				t.Errorf("%s: is the list only of paths through the line?", link)
			}
		}
		b.Go(home + name)
		if !browser.Value[bool](b, `document.querySelector(".source").getBoundingClientRect().top < document.querySelector("tr[data-path]").getBoundingClientRect().top`) {
			t.Errorf("%s: the list of paths comes before the source", mode)
		}
	}
}
