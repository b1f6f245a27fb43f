package browser_test

import (
	"flag"
	"fmt"
	"net/url"
	"path/filepath"
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

// TestPhone opens a page of each kind in a window of a phone: nothing is wider, and of a function the source comes
// before the list of its paths.
func TestPhone(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests another module, and opens a browser")
	}
	browser.Need(t)
	dir := fetch.ForTest(t, "github.com/yuin/goldmark", "v1.8.7")
	const name = "f/github.com/yuin/goldmark/renderer/html.(*defaultWriter).Write"
	for _, mode := range []string{"exact", "sampled"} {
		run(t, dir, "wrap", "-mode", mode, "-o", mode, "go", "test", "-skip=Performance$", ".")
		out := filepath.Join(dir, mode)
		run(t, dir, "report", "-format", "html", "-o", mode+".html", out)
		home := view(t, out)
		b := browser.Open(t)
		b.Size(phone, 844)
		report := (&url.URL{Scheme: "file", Path: filepath.Join(dir, mode+".html")}).String()
		for i, page := range []string{
			home, home + "p/github.com/yuin/goldmark/renderer/html", home + name, home + name + "?path=1", home + "f/none",
			home + "search?q=renderer", report,
		} {
			b.Go(page)
			if browser.Value[int](b, "parseInt("+widest+")") > phone {
				t.Errorf("%s, %s: %s", mode, page, browser.Value[string](b, widest))
			}
			if *pictures != "" {
				b.Picture(filepath.Join(*pictures, fmt.Sprintf("%s%d.jpg", mode, i)))
			}
		}
		b.Go(home + name)
		if !browser.Value[bool](b, `document.querySelector(".source").getBoundingClientRect().top < document.querySelector("tr[data-path]").getBoundingClientRect().top`) {
			t.Errorf("%s: the list of paths comes before the source", mode)
		}
	}
}
