package cli

import (
	"flag"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/sourceroot"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/stale"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/fleet/agent"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// viewLive shows a directory whose programs are running.
func viewLive(c *command, fs *flag.FlagSet, f *viewFlags) error {
	dir, err := c.dir(fs)
	if err != nil {
		return err
	}
	if is, err := archive.Find(dir); err != nil {
		return err
	} else if is {
		return usage.Errorf("-live: %s is an archive, to which no program writes; leave out -live", dir)
	}
	if err := f.chosen.refuse(dir); err != nil {
		return err
	}
	at, err := listen(f.addr)
	if err != nil {
		return err
	}
	a := agent.New(agent.Options{
		Follow: follow.Options{Dirs: []string{dir}},
		Say:    sayLine,
	})
	return showPages(at, &livePages{dir: dir, src: f.src, loopback: at.loopback, agent: a.Handler(at.loopback)}, f.open)
}

// livePages are the pages of a profile that grows.
type livePages struct {
	dir, src string // src may be ""
	loopback bool
	agent    http.Handler // of /debug/pprof/

	mu    sync.Mutex
	pages http.Handler
	read  time.Time
	said  string // of sources that have changed
	lost  bool   // src has none, which was said
}

// readAgain is how old pages may be: all that one of them asks for, such as its style sheet, comes from the same profile.
const readAgain = time.Second

// ServeHTTP reads the profile again if it is older than a second.
func (l *livePages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/debug/pprof") {
		l.agent.ServeHTTP(w, r)
		return
	}
	pages, err := l.current()
	if err != nil {
		w.Header().Set("Refresh", "2")
		http.Error(w, "goprofinstr: "+show.Printable(err.Error()), http.StatusServiceUnavailable)
		return
	}
	if r.URL.Path == "/" {
		w.Header().Set("Refresh", "5")
	}
	pages.ServeHTTP(w, r)
}

// current returns pages of the profile as it is now.
func (l *livePages) current() (http.Handler, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pages != nil && time.Since(l.read) < readAgain {
		return l.pages, nil
	}
	p, err := profile.LoadLive(l.dir)
	if err != nil {
		return nil, err
	}
	if l.src != "" {
		// A program that is just starting has not said yet which files it is of.
		if err := sourcesIn(p, l.src); err != nil && !l.lost && len(p.Functions()) > 0 {
			l.lost = true
			sayLine(err.Error())
		}
	} else if here, err := os.Getwd(); err == nil {
		sourceroot.Set(p, here)
	}
	if text := stale.Mark(p, l.dir); text != l.said {
		l.said = text
		warnStale(text)
	}
	l.pages, l.read = newSite(l.dir, p).Handler(l.loopback), time.Now()
	return l.pages, nil
}
