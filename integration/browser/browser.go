// Package browser opens pages in a real browser for tests.
package browser

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// names are what Chromium is called: by Debian, by others, and by its vendor.
var names = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "headless-shell"}

// limit is how long a test may use its browser: it must end even if a page waits for what never comes. On a machine with
// ten times as much to do as it can, tests took half a minute.
const limit = 2 * time.Minute

// pages is how many pages may follow each other while a test waits: it cannot wait beyond the end of one.
const pages = 5

// Browser is a browser with one page.
type Browser struct {
	t   testing.TB
	ctx context.Context

	mu      sync.Mutex
	console []string
}

// Need skips a test if there is no browser on this machine, and returns the name of its program.
func Need(t testing.TB) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("needs Chromium, which is not installed")
	return ""
}

// Open starts a browser, which is closed when the test ends. The test is skipped if there is none.
func Open(t testing.TB) *Browser {
	t.Helper()
	path := Need(t)
	// The sandbox needs privileges that containers do not have. The pages are our own.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-component-update", true))
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closePage := chromedp.NewContext(ctx)
	t.Cleanup(closePage)
	b := &Browser{t: t, ctx: ctx}
	b.do(chromedp.EmulateViewport(1440, 1000))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.console = append(b.console, m.String())
			b.mu.Unlock()
		}
	}()
	return b
}

func (b *Browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Go opens an address and waits until it is loaded.
func (b *Browser) Go(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// Type presses the keys of a text, one after the other.
func (b *Browser) Type(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// Size gives the window a size in pixels.
func (b *Browser) Size(width, height int) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(int64(width), int64(height)))
}

// Picture writes a picture of the whole page to a file.
func (b *Browser) Picture(name string) {
	b.t.Helper()
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(90))
	if err == nil {
		err = os.WriteFile(name, data, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Scheme makes the system prefer "light" or "dark".
func (b *Browser) Scheme(scheme string) {
	b.t.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.t.Fatal(err)
	}
}

// WaitFor waits until an expression is true, on this page or the one that it is being left for.
func (b *Browser) WaitFor(expression string) {
	b.t.Helper()
	var err error
	for range pages {
		if _, err = chromedp.Run(b.ctx, chromedp.Poll[bool]("!!("+expression+")")); err == nil {
			return
		}
	}
	b.t.Fatalf("waiting for %s: %v", expression, err)
}

// Value returns the value of an expression.
func Value[T any](b *Browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Do executes a statement.
func (b *Browser) Do(statement string) {
	b.t.Helper()
	Value[bool](b, "("+statement+", true)")
}

// CheckConsole reports whatever has been written to the console: errors, and violations of the page's policy.
func (b *Browser) CheckConsole() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.console {
		b.t.Errorf("console: %s", m)
	}
}
