package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/agent"
)

// TestAgentHost has the host of -host, by which the archive tells runs apart, and this one without it.
func TestAgentHost(t *testing.T) {
	here, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for given, want := range map[string]string{"node-7": "node-7", "": here} {
		f := agentFlags{host: given, archive: filepath.Join(t.TempDir(), "archive")}
		forward, err := f.forwarder(t.Context(), agent.New(agent.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if forward.Host != want {
			t.Errorf("-host %q: runs are of %q, want %q", given, forward.Host, want)
		}
	}
	if _, err := (&agentFlags{host: "node-7"}).forwarder(t.Context(), agent.New(agent.Options{})); err == nil {
		t.Error("-host without -archive is taken")
	}
}

// TestAgentArchive has an archive that cannot be opened. It keeps an agent from its start that runs no program, and no program.
func TestAgentArchive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, runs := range []bool{true, false} {
		f := agentFlags{archive: filepath.Join(file, "archive"), runs: runs}
		forward, err := f.forwarder(t.Context(), agent.New(agent.Options{}))
		if (err == nil) != runs {
			t.Errorf("with a program, %t: %v", runs, err)
		}
		if err != nil {
			continue
		}
		if err := forward.Interval(t.Context()); err == nil {
			t.Error("nothing is said of the archive")
		}
	}
}

// TestAgentState has two agents with one folder for what has been sent: the second may have it when the first has ended.
func TestAgentState(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	first := agentFlags{state: state, pyroscope: "http://localhost:1"}
	second := agentFlags{state: state, pyroscope: "http://localhost:1"}
	start := func(f *agentFlags) error {
		forward, err := f.forwarder(t.Context(), agent.New(agent.Options{}))
		if err == nil {
			forward.Sender.Close()
		}
		return err
	}
	if err := start(&first); err != nil {
		t.Fatal(err)
	}
	switch err := start(&second); {
	case err == nil:
		t.Error("two agents have one folder")
	case !strings.HasPrefix(err.Error(), "-state "+state+": ") || strings.Contains(err.Error(), "\n"):
		t.Errorf("the second agent: %v", err)
	}
	first.held.Unlock()
	if err := start(&second); err != nil {
		t.Errorf("when the first has ended: %v", err)
	}
	second.held.Unlock()
}

// TestAgentStateProgram has a folder of -state that another agent has, or that cannot be made. An agent that runs a program
// runs it, and uses nothing of the folder.
func TestAgentStateProgram(t *testing.T) {
	dir := t.TempDir()
	first := agentFlags{state: filepath.Join(dir, "state"), pyroscope: "http://localhost:1"}
	forward, err := first.forwarder(t.Context(), agent.New(agent.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer first.held.Unlock()
	defer forward.Sender.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{first.state, filepath.Join(file, "state")} {
		for _, archive := range []string{"", filepath.Join(dir, "archive")} {
			f := agentFlags{state: state, pyroscope: "http://localhost:1", archive: archive, remove: true, runs: true}
			forward, err := f.forwarder(t.Context(), agent.New(agent.Options{}))
			if err != nil || (forward != nil) != (archive != "") {
				t.Errorf("%s, archive %q: %v, %v", state, archive, forward, err)
			}
			if forward != nil && (forward.Sender != nil || forward.State != "" || forward.Remove) {
				t.Errorf("%s: the folder of another agent is used", state)
			}
		}
	}
	alone := agentFlags{state: filepath.Join(file, "state"), pyroscope: "http://localhost:1"}
	_, err = alone.forwarder(t.Context(), agent.New(agent.Options{}))
	if err == nil || !strings.HasPrefix(err.Error(), "-state "+alone.state+": ") {
		t.Errorf("without a program: %v", err)
	}
}

// TestAgentStateDamaged has a folder of -state that was left damaged, or cannot be read. An agent that runs a program runs it,
// and lets others have the folder.
func TestAgentStateDamaged(t *testing.T) {
	dir := t.TempDir()
	damaged, unread := filepath.Join(dir, "damaged"), filepath.Join(dir, "unread")
	for _, state := range []string{damaged, unread} {
		if err := os.Mkdir(state, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(damaged, "agent.state"), []byte("no state"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(unread, "agent.state"), 0o700); err != nil {
		t.Fatal(err)
	}
	server, archive := "http://localhost:1", filepath.Join(dir, "archive")
	for _, state := range []string{damaged, unread} {
		for _, f := range []agentFlags{
			{pyroscope: server, remove: true},
			{pyroscope: server, archive: archive, remove: true},
			{archive: archive, remove: true},
		} {
			f.state = state
			_, err := f.forwarder(t.Context(), agent.New(agent.Options{}))
			if err == nil || !strings.Contains(err.Error(), state) {
				t.Errorf("%s: without a program: %v", state, err)
			}
			f.held.Unlock()
			f.runs = true
			forward, err := f.forwarder(t.Context(), agent.New(agent.Options{}))
			if err != nil || (forward != nil) != (f.archive != "") {
				t.Errorf("%s, %+v: %v, %v", state, f, forward, err)
				continue
			}
			other := agentFlags{state: state}
			if err := other.hold(); err != nil {
				t.Errorf("%s: nobody uses it, and it is locked: %v", state, err)
			}
			other.held.Unlock()
			if forward == nil {
				continue
			}
			if forward.Sender != nil || forward.State != "" || forward.Remove != (f.pyroscope == "") {
				t.Errorf("%s, %+v: the folder is used, or files are removed that were not sent", state, f)
			}
			if err := forward.Interval(t.Context()); err != nil {
				t.Errorf("%s: %v", state, err)
			}
		}
	}
}
