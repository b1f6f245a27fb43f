package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/export/page"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var viewCommand = &command{
	name:     "view",
	run:      runView,
	short:    "look at a profile in a browser",
	synopsis: `goprofinstr view [-http ADDR] [-live] [-open] [DIR]`,
	about: `View serves pages about the profile in DIR (default goprofinstr.out) until it is interrupted, and prints their
address: packages, whole files, the source of a function with a path drawn through it, its control-flow graph, and
its callers where they are known. The sources are read from where they were when the profile was made; without them
everything else is there.`,
	flags: func() flags.Table { return new(viewFlags).table() },
	notes: `/f/IMPORTPATH.Func?path=3 is the page of a function with path 3 selected, /p/IMPORTPATH that of a package,
/s/IMPORTPATH/FILE.go that of a file.`,
	examples: `goprofinstr view -open
goprofinstr view -live -http localhost:6065 data    # GOPROFINSTR_DIR=data for the program
goprofinstr view -http localhost:8080 other.out`,
}

// viewFlags are the flags of view.
type viewFlags struct {
	addr   string
	open   bool
	live   bool
	src    string
	chosen chosen
}

func (f *viewFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: append([]flags.Flag{
		{Name: "http", Value: "ADDR", Var: &f.addr, Default: "localhost:0",
			Usage: "address to serve at (default localhost:0: any free port of this machine, for this machine only)"},
		{Name: "live", Var: &f.live,
			Usage: "show what programs have counted so far, anew for each page; they may be running, or still to be started.\n" +
				"/debug/pprof/ is served, too, as goprofinstr agent does"},
		sourceFolder(&f.src),
		{Name: "open", Var: &f.open, Usage: "open a browser"},
	}, chosenFlags(&f.chosen)...)}
}

func runView(c *command, args []string) (int, error) {
	var f viewFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	c.src = f.src
	if f.live {
		return 0, viewLive(c, fs, &f)
	}
	if err := checkAddress(f.addr); err != nil {
		return 0, err
	}
	dir, p, err := c.loadOne(fs)
	if err != nil {
		return 0, err
	}
	at, err := listen(f.addr)
	if err != nil {
		return 0, err
	}
	return 0, showPages(at, newSite(dir, p).Handler(at.loopback), f.open)
}

// writeHTML writes the report in one file.
func writeHTML(w io.Writer, dir string, p *profile.Profile) error {
	return newSite(dir, p).WriteReport(w)
}

// newSite returns the pages of the profile in dir. If its packages have nothing in common it is called as the
// folder of the main module is, or else dir.
func newSite(dir string, p *profile.Profile) *page.Site {
	if p.Root != "" {
		dir = p.Root
	}
	return page.New(p, filepath.Base(dir))
}

// showPages serves pages until the process is interrupted, and says where.
func showPages(at *place, pages http.Handler, open bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !at.private {
		fmt.Fprintln(os.Stderr, "goprofinstr: warning: everyone who can reach this address can read the sources")
	}
	fmt.Println(at.url)
	if open {
		openBrowser(at.url)
	}
	return at.serve(ctx, pages)
}

// openBrowser starts the browser of the system. Where there is none the address has been printed.
func openBrowser(url string) {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if err := exec.Command(command[0], append(command[1:], url)...).Start(); err != nil {
		fmt.Fprintf(os.Stderr, "goprofinstr: cannot open a browser: %v\n", err)
	}
}
