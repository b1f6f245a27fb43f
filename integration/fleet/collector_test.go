package fleet

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configgrpc"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/collector/receiver/xreceiver"

	"github.com/goprofinstr/goprofinstr/export/fleet/otlp"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
)

// freeAddress returns an address of this machine at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// collect starts the Collector's receiver, and returns a function that stops it.
func collect(t *testing.T, address string, next xconsumer.Profiles) (stop func()) {
	t.Helper()
	factory := otlpreceiver.NewFactory().(xreceiver.Factory)
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	config.Protocols.GRPC = configoptional.None[configgrpc.ServerConfig]()
	config.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = address
	receiver, err := factory.CreateProfiles(t.Context(), receivertest.NewNopSettings(factory.Type()), config, next)
	if err == nil {
		err = receiver.Start(t.Context(), componenttest.NewNopHost())
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := receiver.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// sums returns the sum of each sample type of each name, as Pyroscope and the sink see them: "goprofinstr_paths
// path_execs/count".
func sums(t *testing.T, all []pprofile.Profiles) map[string]int64 {
	t.Helper()
	got := make(map[string]int64)
	for _, data := range all {
		text := func(i int32) string { return data.Dictionary().StringTable().At(int(i)) }
		for _, resource := range data.ResourceProfiles().All() {
			for _, scope := range resource.ScopeProfiles().All() {
				for _, p := range scope.Profiles().All() {
					name := fmt.Sprint(pyroscopeName(data, p), " ", text(p.SampleType().TypeStrindex()), "/", text(p.SampleType().UnitStrindex()))
					for _, s := range p.Samples().All() {
						if s.Values().Len() != 1 {
							t.Errorf("a sample of %s has %d values", name, s.Values().Len())
						}
						got[name] += s.Values().At(0)
					}
				}
			}
		}
	}
	return got
}

// pyroscopeName is how Pyroscope names a profile by OTLP (pkg/ingester/otlp/convert.go): by the period type, if there is a
// period.
func pyroscopeName(data pprofile.Profiles, p pprofile.Profile) string {
	if p.Period() == 0 {
		return ""
	}
	return data.Dictionary().StringTable().At(int(p.PeriodType().TypeStrindex()))
}

// TestCollector pushes the profiles of a run, and looks at what arrives.
func TestCollector(t *testing.T) {
	sink := new(consumertest.ProfilesSink)
	address := freeAddress(t)
	defer collect(t, address, sink)()
	target := otlp.New(newClient(t, "http://"+address), "v1.2.3")
	want := make(map[string]int64)
	for _, b := range batches(t, "sampled", time.Now()) {
		for _, name := range sent(b.Profile) {
			unit := "/count"
			if name == "time" {
				unit = "/nanoseconds"
			}
			want[b.Name+" "+name+unit] = value(b.Profile, name)
		}
		prepared, err := b.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := target.Push(t.Context(), prepared); err != nil || outcome.Verdict != push.Delivered {
			t.Fatal(outcome, err)
		}
	}
	if got := sums(t, sink.AllProfiles()); !maps.Equal(got, want) || want["goprofinstr_paths path_execs/count"] == 0 {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, data := range sink.AllProfiles() {
		resource := data.ResourceProfiles().At(0)
		want := map[string]any{"service.name": "tokenizer", "k8s.pod.name": "tokenizer-0", "goprofinstr.tables": "abc"}
		if got := resource.Resource().Attributes().AsRaw(); !maps.Equal(got, want) {
			t.Errorf("resource %v", got)
		}
		// Parca names profiles by the scope, and dereferences it.
		if scope := resource.ScopeProfiles().At(0).Scope(); scope.Name() != "goprofinstr" || scope.Version() != "v1.2.3" {
			t.Errorf("scope %q %q", scope.Name(), scope.Version())
		}
	}
	if n := sink.ProfileCount(); n != len(want) {
		t.Errorf("%d profiles, want %d, one for each sample type: flow is not sent", n, len(want))
	}
}

// TestCollectorDown pushes while the Collector is not there, twice, and one batch each minute of a clock of our own.
func TestCollectorDown(t *testing.T) {
	sink := new(consumertest.ProfilesSink)
	address := freeAddress(t)
	now := time.Now()
	s, err := spool.Open(spool.Config{
		Dir:     filepath.Join(t.TempDir(), "spool"),
		Targets: map[string]push.Target{"otlp": otlp.New(newClient(t, "http://"+address), "")},
		Log:     func(line string) { t.Error(line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	paths := largeProfile(100, 0)
	want := int64(0)
	stop := func() {}
	for i := range 100 {
		switch i {
		case 20, 90:
			stop = collect(t, address, sink)
		case 30:
			stop()
		}
		now = now.Add(time.Minute)
		if err := s.Add(batch(push.Paths, now.Add(-time.Minute), paths)); err != nil {
			t.Fatal(err)
		}
		want += value(paths, "path_execs")
		up := 20 <= i && i < 30 || 90 <= i
		if err := s.Flush(t.Context(), now); (err == nil) != up {
			t.Fatalf("minute %d: %v", i, err)
		}
	}
	stop()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := sums(t, sink.AllProfiles()); got["goprofinstr_paths path_execs/count"] != want || len(got) != 1 {
		t.Errorf("got %v, want %d", got, want)
	}
	if stats := s.Stats()["otlp"]; stats.Waiting != 0 || stats.Doubtful != 0 || stats.Delivered >= 100 {
		t.Errorf("%+v", stats)
	}
}

// TestCollectorRefuses has errors behind the receiver, for a while and for good.
func TestCollectorRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want push.Verdict
	}{
		{"busy", errors.New("the queue is full"), push.Later},
		{"never", consumererror.NewPermanent(errors.New("not this one")), push.Held},
	} {
		address := freeAddress(t)
		stop := collect(t, address, consumertest.NewErr(test.err))
		b, err := batch(push.Paths, time.Now(), largeProfile(1, 0)).Prepare()
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := otlp.New(newClient(t, "http://"+address), "").Push(t.Context(), b)
		if err == nil || !strings.Contains(err.Error(), test.err.Error()) || outcome.Verdict != test.want {
			t.Errorf("%s: %+v, %v", test.name, outcome, err)
		}
		stop()
	}
}
