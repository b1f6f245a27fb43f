package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/version"
	"github.com/goprofinstr/goprofinstr/export/fleet/access"
	"github.com/goprofinstr/goprofinstr/export/fleet/agent"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/client"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/otlp"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/pyroscope"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var agentCommand = &command{
	name:     "agent",
	run:      runAgent,
	short:    "serve what running programs count, send it to servers, and archive it",
	synopsis: `goprofinstr agent [flags] [program [args]]`,
	runs:     true,
	about: `Agent follows the run files of programs that wrap go build has made, while these run, and serves what they have
counted as net/http/pprof serves its profiles. It only reads, and nothing is added to the programs: start it beside
them, as one who may read their files.

With a program agent runs that, and follows it until it ends: what it counts is written to GOPROFINSTR_DIR or -dir, or
else to NAME.out, for a program NAME. Its files, signals and exit code are as they would be without agent. A
signal to both, as systemd sends without KillMode=mixed, comes to the program twice.`,
	flags: func() flags.Table { return new(agentFlags).table() },
	notes: `The addresses are /debug/pprof/paths, edges, calls and pgo. With ?seconds=N a profile has what is counted from then on
for so long, and without everything since the programs began; ?service=NAME chooses the processes of a service, which
is what OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES said when they began, or else the name of the program.

Files that belong neither to the user of the agent nor to the owner of their directory are not read, and links are not
followed.`,
	examples: `goprofinstr agent ./shop -listen :8080       # runs shop
goprofinstr agent -dir '/run/goprofinstr/*'    # then: go tool pprof 'http://localhost:6065/debug/pprof/calls?seconds=5'
goprofinstr agent -dir data -http unix:/run/goprofinstr.sock`,
}

// defaultDirs is where programs write whose files belong to an agent of the machine.
const defaultDirs = "/run/goprofinstr/*"

// agentFlags are the flags of agent.
type agentFlags struct {
	dirs     string
	addr     string
	insecure bool
	access   access.Options
	interval time.Duration
	owners   string
	maxRun   int

	otlp, pyroscope, archive     string
	headers, labels, state, host string
	remove                       bool
	runs                         bool // a program, which is to run whatever becomes of its counts

	held profiledir.Dir // the folder of -state, once it is locked
}

func (f *agentFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "dir", Value: "DIRS", Var: &f.dirs, Default: defaultDirs,
			Usage: "directories with run files, or patterns of such, separated by commas; what GOPROFINSTR_DIR is for the programs\n" +
				"(default /run/goprofinstr/*)"},
		{Name: "http", Value: "ADDR", Var: &f.addr, Default: "localhost:6065",
			Usage: "address to serve at (default localhost:6065, for this machine only), or unix:FILE"},
		{Name: "tls-cert", Value: "FILE", Var: &f.access.Certificate,
			Usage: "serve by TLS, with this certificate and -tls-key FILE. Both, and the two below, may be renewed at any time"},
		{Name: "tls-key", Value: "FILE", Var: &f.access.Key,
			Usage: "the private key, which other users of the machine must not be able to read"},
		{Name: "tls-client-ca", Value: "FILE", Var: &f.access.ClientCA,
			Usage: "readers have to show a certificate of these authorities"},
		{Name: "token-file", Value: "FILE", Var: &f.access.Tokens,
			Usage: "readers have to show one of these bearer tokens, one on each line; with -tls-client-ca, too, both.\n" +
				"A file that every user of the machine may read is refused"},
		{Name: "insecure-listen", Var: &f.insecure,
			Usage: "serve at an address that others can reach although readers show nothing: whoever can may read all profiles"},
		{Name: "interval", Value: "DURATION", Var: &f.interval, Default: time.Minute,
			Usage: "how often the files are read without a request (default 1m): a program that has ended is not lost if its files are removed\n" +
				"later than that"},
		{Name: "owner", Value: "UIDS", Var: &f.owners,
			Usage: "users, by number and separated by commas, whose files are read, too; those of the owner of a directory and of the user of\n" +
				"the agent are in any case"},
		{Name: "max-run", Value: "MIB", Var: &f.maxRun, Default: follow.DefaultMaxRun >> 20,
			Usage: "the most that a run file may take on disk, in MiB (default 1024)"},
		{Name: "otlp", Value: "URL", Var: &f.otlp,
			Usage: "send what is new in each interval to a server of OTLP/HTTP profiles, such as an OpenTelemetry Collector at\n" +
				"https://host:4318. Headers and certificates are those of OTEL_EXPORTER_OTLP_HEADERS, …_CERTIFICATE,\n" +
				"…_CLIENT_CERTIFICATE and …_CLIENT_KEY"},
		{Name: "pyroscope", Value: "URL", Var: &f.pyroscope, Usage: "send it to a server with Pyroscope's push API"},
		{Name: "headers-file", Value: "FILE", Var: &f.headers,
			Usage: "lines \"Name: value\", or a bearer token alone, for requests to both; it is read again for each.\n" +
				"A file that every user of the machine may read is refused"},
		{Name: "archive", Value: "DIR", Var: &f.archive, Usage: "keep what each run has counted in an archive (goprofinstr help archive)"},
		{Name: "host", Value: "NAME", Var: &f.host,
			Usage: "the host that the runs are of, in the archive (default: this one). In a pod it is the node: the next pod has another\n" +
				"name, and runs of two hosts are two"},
		{Name: "state", Value: "DIR", Var: &f.state,
			Usage: "folder for what has been sent, and what no server has taken yet; -otlp and -pyroscope need it"},
		{Name: "label", Value: "NAMES", Var: &f.labels,
			Usage: "the attributes of OTEL_RESOURCE_ATTRIBUTES that leave the machine, separated by commas (default: those of services,\n" +
				"deployments, hosts and namespaces)"},
		{Name: "remove-ended", Var: &f.remove,
			Usage: "remove the files of programs that have ended, when the archive has them and what they counted is kept to be sent"},
	}}
}

func runAgent(c *command, args []string) (int, error) {
	var f agentFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	switch {
	case f.interval < time.Second:
		return 0, usage.Errorf("-interval %v: want a second or more", f.interval)
	case f.maxRun < 1:
		return 0, usage.Errorf("-max-run %d: want a number of MiB", f.maxRun)
	}
	owners, err := f.ownerIDs()
	if err != nil {
		return 0, err
	}
	program, err := newProgram(fs.Args(), &f.dirs)
	if err != nil {
		return 0, err
	}
	f.runs = program != nil
	at, readers, err := f.listen()
	if err != nil {
		return 0, err
	}
	defer at.Close()
	a := agent.New(agent.Options{
		Follow: follow.Options{
			Dirs: fields(f.dirs), Owners: owners, MaxRun: int64(f.maxRun) << 20, Flags: true,
			Contexts: f.otlp != "" || f.pyroscope != "",
		},
		Labels: fields(f.labels),
		Say:    sayLine,
	})
	defer f.held.Unlock()
	forward, err := f.forwarder(context.Background(), a)
	if err != nil {
		return 0, err
	}
	if forward != nil && forward.Sender != nil {
		defer forward.Sender.Close()
	}
	url, handler := at.url+"debug/pprof/", readers.Handler(a.Handler(at.loopback && at.tls == nil))
	follow := func(ctx context.Context) error { return f.follow(ctx, a, forward, at, handler) }
	if program != nil {
		sayLine(fmt.Sprintf("%s has what %s counts, and %s keeps it", url, program.name(), f.dirs))
		defer program.counted(f.dirs)
		return program.run(follow)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Println(url)
	return 0, follow(ctx)
}

// follow serves, and does what is to be done in each interval, until ctx is done.
func (f *agentFlags) follow(ctx context.Context, a *agent.Agent, forward *agent.Forwarder, at *place, h http.Handler) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		f.each(ctx, a, forward)
	}()
	err := at.serve(ctx, h)
	stop()
	<-ended
	return err
}

// sayLine says what is wrong while the agent runs.
func sayLine(line string) { fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", show.Printable(line)) }

// listen listens where the flags say, and returns who may read there.
func (f *agentFlags) listen() (*place, *access.Access, error) {
	o := &f.access
	o.Say = sayLine
	switch {
	case (o.Certificate == "") != (o.Key == ""):
		return nil, nil, usage.Errorf("-tls-cert and -tls-key need each other: a certificate, and its private key")
	case o.ClientCA != "" && o.Certificate == "":
		return nil, nil, usage.Errorf("-tls-client-ca needs -tls-cert and -tls-key: certificates of readers are a part of TLS")
	case o.Certificate != "" && strings.HasPrefix(f.addr, "unix:"):
		return nil, nil, usage.Errorf("-http %s needs no -tls-cert: who may open the file may read", show.Printable(f.addr))
	}
	readers, err := access.New(*o)
	if err != nil {
		return nil, nil, err
	}
	at, err := listen(f.addr)
	if err != nil {
		return nil, nil, err
	}
	at.encrypt(readers.TLS())
	if err := f.checkReach(at, readers); err != nil {
		at.Close()
		return nil, nil, err
	}
	return at, readers, nil
}

// checkReach reports an address at which others could read who should not.
func (f *agentFlags) checkReach(at *place, readers *access.Access) error {
	switch addr := show.Printable(f.addr); {
	case at.private || f.insecure || at.tls != nil && readers.Asks():
		return nil
	case at.tls != nil:
		return usage.Errorf("-http %s can be reached by others, who could read all profiles: -tls-client-ca or -token-file says who may "+
			"(-insecure-listen: everybody)", addr)
	case readers.Asks():
		return usage.Errorf("-http %s can be reached by others, and tokens would go there unencrypted: -tls-cert and -tls-key encrypt them", addr)
	default:
		return usage.Errorf("-http %s can be reached by others: -tls-cert and -tls-key, with -tls-client-ca or -token-file, say who may read; "+
			"-insecure-listen lets everybody, and localhost:6065 is for this machine only", addr)
	}
}

// each does what is to be done in each interval, and once more at the end.
func (f *agentFlags) each(ctx context.Context, a *agent.Agent, forward *agent.Forwarder) {
	interval := func(ctx context.Context) {
		if forward == nil {
			a.Watch()
		} else if err := forward.Interval(ctx); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				sayLine(line)
			}
		}
	}
	for tick := time.Tick(f.interval); ; {
		interval(ctx)
		select {
		case <-tick:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastInterval)
			defer cancel()
			interval(last)
			return
		}
	}
}

// lastInterval is how long an agent that is to end may send what is new. What it cannot is on disk.
const lastInterval = 5 * time.Second

// forwarder returns what hands on what was counted, nil if nothing is to.
func (f *agentFlags) forwarder(ctx context.Context, a *agent.Agent) (*agent.Forwarder, error) {
	sends := f.otlp != "" || f.pyroscope != ""
	nowhere := !sends && f.archive == ""
	switch {
	case sends && f.state == "":
		return nil, usage.Errorf("-otlp and -pyroscope need -state DIR, for what no server has taken yet")
	case f.headers != "" && !sends:
		return nil, usage.Errorf("-headers-file needs -otlp or -pyroscope: it is for requests to their servers")
	case f.host != "" && f.archive == "":
		return nil, usage.Errorf("-host %s needs -archive: runs are told apart by it there", show.Printable(f.host))
	case f.remove && nowhere:
		return nil, usage.Errorf("-remove-ended needs -archive, -otlp or -pyroscope: what was counted would be lost")
	case f.state != "" && nowhere:
		return nil, usage.Errorf("-state needs -archive, -otlp or -pyroscope: it is for what these were given")
	case f.labels != "" && nowhere:
		return nil, usage.Errorf("-label needs -archive, -otlp or -pyroscope: it says which labels these are given")
	case nowhere:
		return nil, nil
	}
	host, err := f.host, error(nil)
	if host == "" {
		if host, err = os.Hostname(); err != nil {
			return nil, fmt.Errorf("the name of this host is not known (%w); give one with -host", err)
		}
	}
	forward := &agent.Forwarder{Agent: a, State: f.state, Host: host, Remove: f.remove}
	if f.archive != "" {
		forward.Open = func(ctx context.Context) (*archive.Archive, error) { return archive.Create(ctx, f.archive) }
		if !f.runs {
			if forward.Archive, err = forward.Open(ctx); err != nil {
				return nil, err
			}
		}
	}
	targets, err := f.targets()
	if err != nil {
		return nil, err
	}
	if err = f.start(forward, targets); err == nil || !f.runs {
		return forward, err
	}
	f.held.Unlock()
	if !sends {
		sayLine(fmt.Sprintf("%v; the folder of -state is not used", err))
	} else {
		sayLine(fmt.Sprintf("%v; nothing is sent to servers until the agent is started anew", err))
		forward.Remove = false // what was counted is kept to be sent
	}
	if f.archive == "" {
		return nil, nil
	}
	forward.State = ""
	return forward, forward.Start()
}

// start begins to use the folder of -state. After an error there is no sender.
func (f *agentFlags) start(forward *agent.Forwarder, targets map[string]push.Target) (err error) {
	if len(targets) > 0 {
		if forward.Sender, err = f.sender(targets); err != nil {
			return err
		}
	}
	if err = forward.Start(); err != nil && forward.Sender != nil {
		err = errors.Join(err, forward.Sender.Close())
		forward.Sender = nil
	}
	return err
}

// targets returns the servers of -otlp and -pyroscope.
func (f *agentFlags) targets() (map[string]push.Target, error) {
	targets := make(map[string]push.Target)
	if f.otlp != "" {
		o := client.FromEnv(os.Getenv)
		if f.headers != "" {
			o.HeadersFile = f.headers
		}
		c, err := client.New(f.otlp, o)
		if err != nil {
			return nil, fmt.Errorf("-otlp: %w", err)
		}
		targets["otlp"] = otlp.New(c, version.Read().Version)
	}
	if f.pyroscope != "" {
		c, err := client.New(f.pyroscope, client.Options{HeadersFile: f.headers})
		if err != nil {
			return nil, fmt.Errorf("-pyroscope: %w", err)
		}
		targets["pyroscope"] = pyroscope.New(c, version.Read().Version)
	}
	return targets, nil
}

// sender returns what sends to the servers, and keeps what they have not taken.
func (f *agentFlags) sender(targets map[string]push.Target) (*spool.Sender, error) {
	if err := f.hold(); err != nil {
		return nil, fmt.Errorf("-state %s: %w", show.Printable(f.state), err)
	}
	s, err := spool.Open(spool.Config{Dir: filepath.Join(f.state, "spool"), Targets: targets, Log: sayLine})
	if err != nil {
		return nil, fmt.Errorf("-state %s: %w", show.Printable(f.state), err) // whoever called forwarder unlocks
	}
	for name, stats := range s.Stats() {
		if n := stats.Doubtful; n > 0 {
			sayLine(fmt.Sprintf("%s: %s may be counted twice: the agent ended before there was an answer", name,
				show.Plural(n, "request")))
		}
	}
	return s, nil
}

// hold keeps other agents out of the folder of -state as long as this one runs: each would send everything. On a full disk they
// are not told who it is.
func (f *agentFlags) hold() error {
	if err := os.MkdirAll(f.state, 0o700); err != nil {
		return err
	}
	f.held.Path = f.state
	_, err := f.held.Hold(func(h profiledir.Holder) error {
		return fmt.Errorf("%s uses it; each agent needs a folder of its own", show.Printable(h.String()))
	})
	return err
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
