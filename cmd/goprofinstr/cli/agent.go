package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/fleet/agent"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var agentCommand = &command{
	name:     "agent",
	run:      runAgent,
	short:    "serve what running programs count",
	synopsis: `goprofinstr agent [flags]`,
	about: `Agent follows the run files of programs that wrap go build has made, while these run, and serves what they have
counted as net/http/pprof serves its profiles. It only reads, and nothing is added to the programs: start it beside
them, as one who may read their files.`,
	flags: func() flags.Table { return new(agentFlags).table() },
	notes: `The addresses are /debug/pprof/paths, edges, calls and pgo. With ?seconds=N a profile has what is counted from then on
for so long, and without everything since the programs began; ?service=NAME chooses the processes of a service, which
is what OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES said when they began, or else the name of the program.

Files that belong neither to the user of the agent nor to the owner of their directory are not read, and links are not
followed.`,
	examples: `goprofinstr agent -dir '/run/goprofinstr/*'    # then: go tool pprof 'http://localhost:6065/debug/pprof/calls?seconds=5'
goprofinstr agent -dir data -http unix:/run/goprofinstr.sock`,
}

// agentFlags are the flags of agent.
type agentFlags struct {
	dirs     string
	addr     string
	insecure bool
	interval time.Duration
	owners   string
	maxRun   int
}

func (f *agentFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "dir", Value: "DIRS", Var: &f.dirs, Default: "/run/goprofinstr/*",
			Usage: "directories with run files, or patterns of such, separated by commas; what GOPROFINSTR_DIR is for the programs\n" +
				"(default /run/goprofinstr/*)"},
		{Name: "http", Value: "ADDR", Var: &f.addr, Default: "localhost:6065",
			Usage: "address to serve at (default localhost:6065, for this machine only), or unix:FILE"},
		{Name: "insecure-listen", Var: &f.insecure,
			Usage: "serve at an address that others can reach, too: whoever can may read all profiles"},
		{Name: "interval", Value: "DURATION", Var: &f.interval, Default: time.Minute,
			Usage: "how often the files are read without a request (default 1m): a program that has ended is not lost if its files are removed\n" +
				"later than that"},
		{Name: "owner", Value: "UIDS", Var: &f.owners,
			Usage: "users, by number and separated by commas, whose files are read, too; those of the owner of a directory and of the user of\n" +
				"the agent are in any case"},
		{Name: "max-run", Value: "MIB", Var: &f.maxRun, Default: follow.DefaultMaxRun >> 20,
			Usage: "the most that a run file may take on disk, in MiB (default 1024)"},
	}}
}

func runAgent(c *command, args []string) (int, error) {
	var f agentFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	switch {
	case len(fs.Args()) > 0:
		return 0, usage.Errorf("agent takes no arguments; name directories with -dir %s", show.Printable(strings.Join(fs.Args(), ",")))
	case f.interval < time.Second:
		return 0, usage.Errorf("-interval %v: want a second or more", f.interval)
	case f.maxRun < 1:
		return 0, usage.Errorf("-max-run %d: want a number of MiB", f.maxRun)
	}
	owners, err := f.ownerIDs()
	if err != nil {
		return 0, err
	}
	at, err := listen(f.addr)
	if err != nil {
		return 0, err
	}
	defer at.Close()
	if !at.private && !f.insecure {
		return 0, usage.Errorf("-http %s can be reached by others; -insecure-listen serves there all the same, and localhost:6065 to this machine only",
			show.Printable(f.addr))
	}
	a := agent.New(agent.Options{
		Follow: follow.Options{Dirs: fields(f.dirs), Owners: owners, MaxRun: int64(f.maxRun) << 20},
		Say:    func(line string) { fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", show.Printable(line)) },
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		for tick := time.Tick(f.interval); ; {
			a.Watch()
			select {
			case <-tick:
			case <-ctx.Done():
				return
			}
		}
	}()
	fmt.Println(at.url + "debug/pprof/")
	return 0, at.serve(ctx, a.Handler(at.loopback))
}

// ownerIDs returns the users of -owner.
func (f *agentFlags) ownerIDs() (ids []int, err error) {
	for _, word := range fields(f.owners) {
		id, err := strconv.Atoi(word)
		if err != nil || id < 0 {
			return nil, usage.Errorf("-owner %s: want numbers of users, as id -u prints them", show.Printable(word))
		}
		ids = append(ids, id)
	}
	return ids, nil
}
