package fleet

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/client"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// goprofinstr is the command under test, built once.
var goprofinstr string

func TestMain(m *testing.M) { os.Exit(tool.RunTests(&goprofinstr, m.Run)) }

// batches returns what a run of an example is sent as: paths, calls and edges, counted in a mode.
func batches(t *testing.T, mode string, start time.Time) []push.Batch {
	t.Helper()
	out := t.TempDir()
	cmd := exec.Command(goprofinstr, "wrap", "-mode", mode, "-o", out, "go", "run", "./examples/tokenizer")
	cmd.Dir = filepath.Join("..", "..")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var all []push.Batch
	for name, file := range map[string]string{push.Paths: "paths", push.Calls: "calls", push.Edges: "edges"} {
		text, err := os.ReadFile(filepath.Join(out, file+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, batch(name, start, p))
	}
	return all
}

func batch(name string, start time.Time, p *profile.Profile) push.Batch {
	return push.Batch{
		Name: name, Labels: map[string]string{"service_name": "tokenizer", "k8s.pod.name": "tokenizer-0"}, Tables: "abc",
		Start: start, Duration: time.Minute, Profile: p,
	}
}

// value returns the sum of a sample type.
func value(p *profile.Profile, sampleType string) int64 {
	sum := int64(0)
	for i, t := range p.SampleType {
		if t.Type == sampleType {
			for _, s := range p.Sample {
				sum += s.Value[i]
			}
		}
	}
	return sum
}

// sent returns the sample types of a profile that servers get, and that it has anything of.
func sent(p *profile.Profile) (types []string) {
	for _, t := range p.SampleType {
		if t.Type != "flow" && value(p, t.Type) != 0 {
			types = append(types, t.Type)
		}
	}
	return types
}

func newClient(t *testing.T, url string) *client.Client {
	t.Helper()
	c, err := client.New(url, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
