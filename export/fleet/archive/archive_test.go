package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"

	"github.com/google/go-cmp/cmp"
)

var ctx = context.Background()

// create returns an archive in a store.
func create(t testing.TB, m *memory) *Archive {
	t.Helper()
	a, err := CreateStore(ctx, "test", m)
	if err != nil {
		t.Fatal(err)
	}
	a.now = func() time.Time { return m.now }
	return a
}

// counted is a run of a build with packages a and b, of some day: a process that has ended.
func counted(r *rand.Rand, i, onDay int, build string) Run {
	run := &rundata.Run{Lost: r.Uint64N(2)}
	for _, path := range []string{"a", "b"} {
		p := &rundata.Package{Path: path, Table: []byte("table of " + path + build), Counters: make([]uint64, 9)}
		p.Hashes = []map[uint64]uint64{nil, {r.Uint64N(5): 1 + r.Uint64N(9)}}
		for range 3 {
			p.Counters[r.IntN(9)] += r.Uint64N(100)
		}
		run.Packages = append(run.Packages, p)
	}
	start := day(onDay).Add(time.Duration(i) * time.Second)
	return Run{
		Host: fmt.Sprint("web", i%3), Name: fmt.Sprintf("%d.%d", i, start.UnixNano()), Start: start,
		Service: "shop", Final: true, Tally: tally.Of(run),
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// fleet returns n runs of two days and, on the second, of two builds.
func fleet(seed uint64, n int) (runs []Run) {
	r := newRand(seed)
	for i := range n {
		runs = append(runs, counted(r, i, 1+i%2, []string{"", "", "", " 2"}[i%4]))
	}
	return runs
}

func put(t testing.TB, a *Archive, runs ...Run) {
	t.Helper()
	for _, r := range runs {
		if err := a.PutRun(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
}

// merged returns what an archive has, as text: the runs of each build, and the object of what they have counted.
func merged(t testing.TB, a *Archive, s Select) string {
	t.Helper()
	builds, damaged, err := a.Merge(ctx, s)
	if err != nil || len(damaged) > 0 {
		t.Fatalf("%v, damaged: %v", err, damaged)
	}
	return textOf(t, builds)
}

func textOf(t testing.TB, builds []Build) string {
	var b strings.Builder
	for _, build := range builds {
		data, err := object.Encode(&object.Object{Service: build.Service, Parts: []object.Part{{Counts: build.Tally.WithSums(sha256Of)}}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "build %s of %s, %d runs on %d hosts: %x\n", build.ID, build.Service, build.Processes(), build.Hosts(), data)
		for _, r := range build.Runs {
			fmt.Fprintf(&b, "%s@%s %v %s %x\n", r.Host, r.Name, r.Start, r.Labels, r.Sum)
		}
	}
	return b.String()
}

func compact(t testing.TB, a *Archive) *Compacted {
	t.Helper()
	done, err := a.Compact(ctx, Select{})
	if err != nil || len(done.Damaged) > 0 {
		t.Fatalf("%v, %+v", err, done)
	}
	return done
}

// TestMerge holds what is merged against sums of tallies.
func TestMerge(t *testing.T) {
	a, runs := create(t, newMemory()), fleet(1, 40)
	put(t, a, runs...)
	want := map[string]*tally.Tally{}
	for i, r := range runs {
		build := fmt.Sprint(i%4 == 3)
		if want[build] == nil {
			want[build] = &tally.Tally{}
		}
		if err := want[build].Add(r.Tally); err != nil {
			t.Fatal(err)
		}
	}
	builds, damaged, err := a.Merge(ctx, Select{})
	if err != nil || damaged != nil || len(builds) != 2 {
		t.Fatalf("%d builds, %v, %v", len(builds), damaged, err)
	}
	for i, build := range []string{"true", "false"} { // the newest first: run 39
		if diff := cmp.Diff(want[build], builds[i].Tally); diff != "" {
			t.Errorf("build %d (-sum +merged):\n%s", i, diff)
		}
	}
	if n := builds[0].Processes() + builds[1].Processes(); n != 40 || builds[0].Hosts() != 3 || !builds[0].Newest().Equal(runs[39].Start) ||
		!builds[1].Oldest().Equal(runs[0].Start) {
		t.Errorf("%d processes, %d hosts, the newest of %v", n, builds[0].Hosts(), builds[0].Newest())
	}
}

// TestSelect has runs of two services, builds and days.
func TestSelect(t *testing.T) {
	a, runs := create(t, newMemory()), fleet(2, 20)
	runs[0].Service = "../other"
	for i, attributes := range []string{"zone=eu,host.name=a", "zone=eu,service.name=b", "tier=1,zone=eu", "zone=eu,tier=1", "tier=1"} {
		runs[5+i].Attributes = attributes
	}
	put(t, a, runs...)
	all, _, err := a.Merge(ctx, Select{})
	if err != nil || len(all) != 3 || all[0].Service != "../other" {
		t.Fatalf("%d builds, %v", len(all), err)
	}
	for _, compacted := range []bool{false, true} {
		if compacted {
			compact(t, a)
		}
		for _, c := range []struct {
			s    Select
			runs int
		}{
			{Select{}, 20}, {Select{Service: "shop"}, 19}, {Select{Service: "../other"}, 1}, {Select{Service: "none"}, 0},
			{Select{Build: all[1].ID}, 5}, {Select{Build: all[2].ID[:8]}, 15}, {Select{Build: "x"}, 0},
			{Select{Since: day(2).Add(11 * time.Hour)}, 10}, {Select{Since: day(3)}, 0}, {Select{Service: "shop", Since: day(1)}, 19},
			{Select{Until: day(1).Add(-11 * time.Hour)}, 10}, {Select{Until: day(0)}, 0}, {Select{Since: day(2), Until: day(2)}, 10},
			{Select{Labels: labels.Set{"zone": "eu"}}, 4}, {Select{Labels: labels.Set{"zone": "eu", "tier": "1"}}, 2},
			{Select{Labels: labels.Set{"zone": "eu"}, Until: day(1)}, 2}, {Select{Labels: labels.Set{"zone": ""}}, 0},
		} {
			builds, _, err := a.Merge(ctx, c.s)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, b := range builds {
				n += b.Processes()
			}
			if n != c.runs {
				t.Errorf("compacted %v, %+v: %d runs, want %d", compacted, c.s, n, c.runs)
			}
		}
	}
}

// TestGroups holds what groups have against the sums of tallies, before and after compaction.
func TestGroups(t *testing.T) {
	a, runs := create(t, newMemory()), fleet(16, 24)
	want := make(map[string]*tally.Tally)
	for i := range runs {
		of := []string{"", "zone=eu", "zone=ap"}[i%3]
		runs[i].Attributes = of
		key := fmt.Sprint(BuildOf(runs[i].Tally), " 2026-01-0", 1+i%2, " ", of)
		if want[key] == nil {
			want[key] = new(tally.Tally)
		}
		if err := want[key].Add(runs[i].Tally); err != nil {
			t.Fatal(err)
		}
	}
	put(t, a, runs...)
	for _, compacted := range []bool{false, true} {
		if compacted {
			compact(t, a)
		}
		var keys []string
		n := 0
		damaged, err := a.Groups(ctx, Select{}, func(g *Group) error {
			key := fmt.Sprint(g.ID, " ", g.Day, " ", g.Labels)
			keys = append(keys, key)
			n += len(g.Runs)
			if diff := cmp.Diff(want[key], g.Tally); diff != "" {
				t.Errorf("compacted %v, %s (-sum +group):\n%s", compacted, key, diff)
			}
			return nil
		})
		if err != nil || damaged != nil || n != len(runs) || len(keys) != len(want) || !slices.IsSorted(keys) {
			t.Errorf("compacted %v: %d runs in groups %v, %v, %v", compacted, n, keys, damaged, err)
		}
	}
	stop := errors.New("stop")
	if _, err := a.Groups(ctx, Select{}, func(*Group) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

// TestNoLabels has objects of version 1 of the format, which are of one set of labels, beside those of today. A run that is put
// again must count once.
func TestNoLabels(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("object", "testdata", "version1.counts"))
	if err != nil {
		t.Fatal(err)
	}
	old, err := object.Decode(golden)
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory()
	a := create(t, m)
	run := Run{
		Host: old.Runs[0].Host, Name: old.Runs[0].Name, Start: old.Runs[0].Start, Service: old.Service, Attributes: "zone=eu", Final: true,
		Tally: old.Parts[0].Counts,
	}
	for i, p := range run.Tally.Packages {
		run.Tally.Packages[i].Table = []byte{"ac"[i]} // of which version1.counts has the SHA-256
		m.objects[tablesFolder+hex.EncodeToString(p.Table)] = run.Tally.Packages[i].Table
	}
	put(t, a, run)
	names := m.below(countsFolder)
	want := merged(t, a, Select{Labels: labels.Set{"zone": "eu"}})
	m.objects[names[0]] = golden
	if got := merged(t, a, Select{Labels: labels.Set{"zone": "eu"}}); got != want || !strings.Contains(got, "4711") {
		t.Errorf("as it was:\n%s\nwant\n%s", got, want)
	}
	compact(t, a)
	put(t, create(t, m), run)
	if got := merged(t, a, Select{}); got != want {
		t.Errorf("put again:\n%s\nwant\n%s", got, want)
	}
}

// TestOrder puts the same runs in other orders, and compacts in between. What is merged must have the same bytes. So must the
// object of a day, if all is compacted at the end.
func TestOrder(t *testing.T) {
	runs := fleet(3, 24)
	a := create(t, newMemory())
	put(t, a, runs...)
	want := merged(t, a, Select{})
	r := rand.New(rand.NewPCG(7, 7))
	objects := make(map[string]bool)
	for round := range 60 {
		m := newMemory()
		b := create(t, m)
		for _, i := range r.Perm(len(runs)) {
			put(t, b, runs[i])
			if r.IntN(6) == 0 {
				compact(t, b)
			}
		}
		if got := merged(t, b, Select{}); got != want {
			t.Fatalf("round %d:\n%s\nwant\n%s", round, got, want)
		}
		compact(t, b)
		if got := merged(t, b, Select{}); got != want {
			t.Fatalf("round %d, compacted:\n%s\nwant\n%s", round, got, want)
		}
		h := sha256.New()
		for _, name := range m.below(daysFolder) {
			fmt.Fprintf(h, "%s %x", filepath.Dir(name), m.objects[name])
		}
		objects[string(h.Sum(nil))] = true
		if got := m.below(countsFolder); len(got) > 0 {
			t.Fatalf("left: %v", got)
		}
	}
	if len(objects) != 1 {
		t.Errorf("%d kinds of compacted archives", len(objects))
	}
}

// TestTwice puts runs again, from this archive and from another one that uses the store: nothing changes.
func TestTwice(t *testing.T) {
	m := newMemory()
	a, runs := create(t, m), fleet(4, 10)
	put(t, a, runs...)
	want, before := merged(t, a, Select{}), m.clone()
	put(t, a, runs...)
	put(t, create(t, m), runs...)
	if diff := cmp.Diff(before.objects, m.objects); diff != "" {
		t.Errorf("(-once +twice):\n%s", diff)
	}
	compact(t, a)
	put(t, create(t, m), runs...) // whoever puts them does not know
	if got := merged(t, a, Select{}); got != want {
		t.Errorf("put after compaction:\n%s\nwant\n%s", got, want)
	}
	if done := compact(t, a); done.Runs != 0 || done.Days != 0 || done.Deleted != 10 {
		t.Errorf("compacted again: %+v", done)
	}
	if got := merged(t, a, Select{}); got != want {
		t.Errorf("compacted again:\n%s\nwant\n%s", got, want)
	}
	if done := compact(t, a); done.Days+done.Runs+done.Deleted+done.Left != 0 {
		t.Errorf("a third time: %+v", done)
	}
}

// TestGrowing overwrites the object of a run that goes on: the last counts count. It is not compacted before it ends.
func TestGrowing(t *testing.T) {
	m := newMemory()
	a := create(t, m)
	run := fleet(5, 1)[0]
	run.Final = false
	put(t, a, run)
	steps := m.steps
	put(t, a, run)
	if m.steps != steps {
		t.Errorf("%d writes of what has not changed", m.steps-steps)
	}
	m.now = m.now.Add(refresh)
	put(t, a, run)
	if m.steps == steps {
		t.Error("it is not written again for Prune to see")
	}
	if done := compact(t, a); done.Left != 1 || done.Days != 0 {
		t.Errorf("%+v", done)
	}
	if err := run.Tally.Add(fleet(6, 1)[0].Tally); err != nil {
		t.Fatal(err)
	}
	run.Final = true
	put(t, a, run)
	want := create(t, newMemory())
	put(t, want, run)
	if got, want := merged(t, a, Select{}), merged(t, want, Select{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if done := compact(t, a); done.Left != 0 || done.Runs != 1 {
		t.Errorf("%+v", done)
	}
}

// TestStarting puts a run that has not all of its packages yet, and again when it has, from the same archive and from another
// one. It must count once, as what it became.
func TestStarting(t *testing.T) {
	whole := fleet(7, 1)[0]
	part := whole
	part.Final, part.Tally = false, &tally.Tally{Packages: whole.Tally.Packages[:1]}
	want := create(t, newMemory())
	put(t, want, whole)
	for name, put2 := range map[string]func(a *Archive, m *memory){
		"the same":        func(a *Archive, m *memory) { put(t, a, whole) },
		"another":         func(a *Archive, m *memory) { put(t, create(t, m), whole) },
		"another, before": func(a *Archive, m *memory) { put(t, create(t, m), whole); put(t, a, part) },
	} {
		m := newMemory()
		a := create(t, m)
		put(t, a, part)
		put2(a, m)
		for _, compacted := range []bool{false, true} {
			if compacted {
				compact(t, a)
			}
			if got, want := merged(t, a, Select{}), merged(t, want, Select{}); got != want {
				t.Errorf("%s, compacted %v: got\n%s\nwant\n%s", name, compacted, got, want)
			}
		}
		if got := m.below(countsFolder); len(got) > 0 {
			t.Errorf("%s: left %v", name, got)
		}
	}
}

// TestStartingDamaged damages the object of a run that has another one, of when it started. That one counts until the other is
// got back, which compaction must not delete.
func TestStartingDamaged(t *testing.T) {
	m := newMemory()
	a, whole := create(t, m), fleet(7, 1)[0]
	part := whole
	part.Final, part.Tally = false, &tally.Tally{Packages: whole.Tally.Packages[:1]}
	put(t, a, part)
	first := m.below(countsFolder)
	put(t, create(t, m), whole)
	want := merged(t, a, Select{})
	name := slices.DeleteFunc(m.below(countsFolder), func(name string) bool { return name == first[0] })[0]
	data := m.objects[name]
	m.objects[name] = flip(data)
	builds, damaged, err := a.Merge(ctx, Select{})
	if err != nil || len(builds) != 1 || len(damaged) != 1 || damaged[0].Name != name {
		t.Errorf("%d builds, damaged %v, %v", len(builds), damaged, err)
	}
	if done, err := a.Compact(ctx, Select{}); err != nil || len(done.Damaged) != 1 || done.Deleted > 0 {
		t.Errorf("compacted %+v, %v", done, err)
	}
	m.objects[name] = data
	if got := merged(t, a, Select{}); got != want {
		t.Errorf("got back:\n%s\nwant\n%s", got, want)
	}
}

// TestNames has labels that mean something to file systems, shells and this package.
func TestNames(t *testing.T) {
	seen := make(map[string]string)
	for _, label := range []string{
		"", ".", "..", "../x", "/etc/passwd", "a/b", "a\\b", "a b", "a@b", "a~b", "a", "A", "-rf", "x\x00y", "x\ny", "ü", "com.example", "x.",
		".hidden", "web-1.example.com", strings.Repeat("x", 300), strings.Repeat("x", 301), "~", "a%2fb", "a:b", "CON*",
	} {
		name := clean(label)
		if strings.ContainsAny(name, "/\\@ \x00\n:*%") || strings.ContainsAny(name[:1], ".-~") || name == "" || len(name) > 120 {
			t.Errorf("%q becomes %q", label, name)
		}
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q become %q", label, other, name)
		}
		seen[name] = label
	}
	m := newMemory()
	a, run := create(t, m), fleet(8, 1)[0]
	run.Service, run.Host, run.Name = "../../x", "../h", "/n"
	put(t, a, run)
	for name := range m.objects {
		for _, part := range strings.Split(name, "/") {
			if strings.HasPrefix(part, ".") || part == "" {
				t.Errorf("object %s", name)
			}
		}
	}
	if builds, damaged, err := a.Merge(ctx, Select{Service: "../../x"}); err != nil || damaged != nil || len(builds) != 1 {
		t.Errorf("%d builds, %v, %v", len(builds), damaged, err)
	}
}

// TestRefused puts what is no run.
func TestRefused(t *testing.T) {
	m := newMemory()
	a, run := create(t, m), fleet(9, 1)[0]
	before := m.clone()
	for _, change := range []func(r *Run){
		func(r *Run) { r.Host = "" }, func(r *Run) { r.Name = "" }, func(r *Run) { r.Start = time.Time{} }, func(r *Run) { r.Tally = nil },
		func(r *Run) { r.Attributes = "x=" + strings.Repeat("x", 1<<20) },
	} {
		r := run
		change(&r)
		if err := a.PutRun(ctx, r); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v", r, err)
		}
	}
	if diff := cmp.Diff(before.objects, m.objects); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// TestDamaged damages each object of an archive in turn, in several ways: it is listed in a line, and all others count.
func TestDamaged(t *testing.T) {
	m := newMemory()
	a, runs := create(t, m), fleet(10, 8)
	put(t, a, runs[:6]...)
	compact(t, a)
	put(t, a, runs[6:]...)
	whole, _, err := a.Merge(ctx, Select{})
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, b := range whole {
		all += len(b.Runs)
	}
	for name, data := range m.objects {
		if name == marker {
			continue
		}
		for what, bad := range map[string][]byte{"empty": nil, "cut": data[:len(data)/2], "changed": flip(data), "foreign": []byte("hello\n\x1b[31m")} {
			m2 := m.clone()
			m2.objects[name] = bad
			builds, damaged, err := create(t, m2).Merge(ctx, Select{})
			if err != nil || len(damaged) == 0 || damaged[0].Name != name || strings.Contains(damaged[0].String(), "\n") {
				t.Errorf("%s %s: damaged %v, error %v", name, what, damaged, err)
			}
			got := 0
			for _, b := range builds {
				got += len(b.Runs)
			}
			if lost := all - got; lost < 0 || strings.HasPrefix(name, tablesFolder) && lost > 0 ||
				strings.HasPrefix(name, countsFolder) && lost != 1 || strings.HasPrefix(name, daysFolder) && (lost == 0 || lost > 6) {
				t.Errorf("%s %s: %d runs lost of %d", name, what, lost, all)
			}
			before := m2.clone()
			if done, err := create(t, m2).Compact(ctx, Select{}); err != nil || len(done.Damaged) == 0 && !strings.HasPrefix(name, tablesFolder) {
				t.Errorf("%s %s: compacted %+v, %v", name, what, done, err)
			}
			if !bytes.Equal(m2.objects[name], before.objects[name]) {
				t.Errorf("%s %s: compaction has deleted it", name, what)
			}
			m2.objects[name] = data // it was got back
			if got := merged(t, create(t, m2), Select{}); got != textOf(t, whole) {
				t.Errorf("%s %s: got back:\n%s\nwant\n%s", name, what, got, textOf(t, whole))
			}
		}
	}
}

func flip(data []byte) []byte {
	data = slices.Clone(data)
	data[len(data)/2] ^= 4
	return data
}

// TestMoved has objects in the places of others: they would count twice.
func TestMoved(t *testing.T) {
	m := newMemory()
	a, runs := create(t, m), fleet(11, 4)
	put(t, a, runs...)
	want := merged(t, a, Select{})
	names := m.below(countsFolder)
	for _, name := range []string{
		strings.Replace(names[0], "shop", "store", 1), strings.Replace(names[0], "2026-01", "2026-02", 1), names[0] + "x",
		"counts/shop/x", "counts/x", "days/shop/0/2026-01-01/0", "counts/shop/0/2026-13-01/a@b",
		strings.Replace(filepath.Dir(names[0]), "counts", "days", 1) + "/000001x",
	} {
		m.objects[name] = m.objects[names[0]]
		builds, damaged, err := a.Merge(ctx, Select{})
		if err != nil || len(damaged) != 1 || damaged[0].Name != name {
			t.Errorf("%s: damaged %v, error %v", name, damaged, err)
		}
		if got := textOf(t, builds); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		delete(m.objects, name)
	}
}

// TestChanged has a run go on that was said to have ended: it does not count twice, and the damage says so.
func TestChanged(t *testing.T) {
	m := newMemory()
	a, runs := create(t, m), fleet(12, 2)
	put(t, a, runs...)
	compact(t, a)
	want := merged(t, a, Select{})
	if err := runs[0].Tally.Add(fleet(13, 1)[0].Tally); err != nil {
		t.Fatal(err)
	}
	put(t, a, runs[0])
	for range 2 {
		builds, damaged, err := a.Merge(ctx, Select{})
		if err != nil || len(damaged) != 1 || !strings.Contains(damaged[0].Reason, "other counts") {
			t.Errorf("damaged %v, %v", damaged, err)
		}
		if got := textOf(t, builds); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if _, err := a.Compact(ctx, Select{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFull has a store that fails at each step of putting runs: what was there is there, and what is put again then counts once.
func TestFull(t *testing.T) {
	runs := fleet(14, 6)
	all := create(t, newMemory())
	put(t, all, runs...)
	want := merged(t, all, Select{})
	for most := 1; ; most++ {
		m := newMemory()
		a := create(t, m)
		m.steps, m.most = 0, most
		whole := 0
		for _, r := range runs {
			if a.PutRun(ctx, r) == nil {
				whole++
			}
		}
		m.most = -1
		builds, damaged, err := create(t, m).Merge(ctx, Select{})
		n := 0
		for _, b := range builds {
			n += len(b.Runs)
		}
		if err != nil || damaged != nil || n != whole {
			t.Fatalf("after %d steps: %d runs of %d, damaged %v, error %v", most, n, whole, damaged, err)
		}
		put(t, a, runs...)
		if got := merged(t, a, Select{}); got != want {
			t.Fatalf("put again after %d steps: got\n%s\nwant\n%s", most, got, want)
		}
		if whole == len(runs) {
			break
		}
	}
}

// TestChoose has builds of one service that agree and that do not.
func TestChoose(t *testing.T) {
	pack := func(path, table string, n uint64) rundata.Sparse {
		return rundata.Sparse{Path: path, Table: []byte(table), Size: 1, Counters: []rundata.Entry{{At: 0, N: n}}}
	}
	build := func(id string, on int, packages ...rundata.Sparse) Build {
		return Build{Service: "s", ID: id, Runs: []object.Run{{Host: id, Start: day(on), Process: true}}, Tally: &tally.Tally{Packages: packages}}
	}
	builds := []Build{
		build("4", 4, pack("a", "new", 1), pack("b", "b", 2)), build("3", 3, pack("b", "b", 10)),
		build("2", 2, pack("a", "old", 5)), build("1", 1, pack("c", "c", 7)),
	}
	for id, want := range map[string]string{"": "[{0 1} {0 12} {0 7}] left 2", "3": "[{0 1} {0 12} {0 7}] left 2", "2": "[{0 5} {0 10} {0 7}] left 4"} {
		chosen, left, err := Choose(builds, id)
		if err != nil {
			t.Fatal(err)
		}
		var counts []rundata.Entry
		for _, p := range chosen.Tally.Packages {
			counts = append(counts, p.Counters...)
		}
		got := fmt.Sprint(counts, " left")
		for _, b := range left {
			got += " " + b.ID
		}
		if got != want || len(chosen.Runs) != 3 {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
	if len(builds[0].Runs) != 1 || builds[0].Tally.Packages[1].Counters[0].N != 2 {
		t.Errorf("the builds have changed: %+v", builds[0])
	}
	other := builds[0]
	other.Service = "t"
	for _, list := range [][]Build{nil, {builds[0], other}} {
		if _, _, err := Choose(list, ""); err == nil {
			t.Errorf("%v: no error", list)
		}
	}
	if _, _, err := Choose(builds, "x"); err == nil || !strings.Contains(err.Error(), "4, 3, 2, 1") {
		t.Errorf("error %v", err)
	}
}

// TestChooseTables has a build of tables alone, in which nothing is not counted.
func TestChooseTables(t *testing.T) {
	build := func(process bool, uncounted ...rundata.Entry) Build {
		p := rundata.Sparse{Path: "a", Table: []byte("a"), Size: 1, Uncounted: uncounted}
		return Build{Runs: []object.Run{{Process: process}}, Tally: &tally.Tally{Packages: []rundata.Sparse{p}}}
	}
	chosen, _, err := Choose([]Build{build(true, rundata.Entry{N: 1}), build(false)}, "")
	if err != nil || len(chosen.Tally.Packages[0].Uncounted) != 1 {
		t.Errorf("%v, %+v", err, chosen.Tally)
	}
}

// TestPrune deletes what is old, with its tables, and nothing that is written still.
func TestPrune(t *testing.T) {
	m := newMemory()
	a, runs := create(t, m), fleet(15, 8) // of days 1 and 2; the second build is of day 2 only
	runs[1].Final = false
	put(t, a, runs...)
	compact(t, a)
	m.now = day(20)
	runs[0].Name = "new"
	runs[0].Start = day(20)
	put(t, create(t, m), runs[0])
	m.objects[store.Temporary+"x"], m.written[store.Temporary+"x"] = nil, day(1)
	m.objects[store.Temporary+"y"], m.written[store.Temporary+"y"] = nil, day(20)
	for _, c := range []struct {
		before  time.Time
		objects int
		runs    int
	}{{day(1), 0, 9}, {day(2), 2, 5}, {day(3), 3, 1}, {day(4), 0, 1}} {
		done, err := a.Prune(ctx, c.before)
		if err != nil || done.Damaged != nil || done.Objects != c.objects {
			t.Errorf("before %v: %+v, %v; want %d objects", c.before, done, err, c.objects)
		}
		builds, damaged, err := a.Merge(ctx, Select{})
		n := 0
		for _, b := range builds {
			n += len(b.Runs)
		}
		if err != nil || damaged != nil || n != c.runs {
			t.Errorf("before %v: %d runs, damaged %v, error %v", c.before, n, damaged, err)
		}
	}
	if got := m.below(tablesFolder); len(got) != 2 {
		t.Errorf("tables %v", got)
	}
	if got := m.below(store.Temporary); len(got) != 1 {
		t.Errorf("temporary %v", got)
	}
}

// TestOpen opens what is an archive and what is none.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(ctx, dir); err == nil || Is(dir) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Open(ctx, filepath.Join(dir, "none")); err == nil {
		t.Error("nothing: no error")
	}
	if _, err := Create(ctx, filepath.Join(dir, "new")); err != nil || !Is(filepath.Join(dir, "new")) {
		t.Errorf("create: %v", err)
	}
	if _, err := Create(ctx, filepath.Join(dir, "new")); err != nil {
		t.Errorf("create again: %v", err)
	}
	if _, err := Open(ctx, filepath.Join(dir, "new")); err != nil {
		t.Errorf("open: %v", err)
	}
	if _, err := Create(ctx, dir); err == nil || Is(dir) {
		t.Errorf("a folder with something in it: %v", err)
	}
	m := newMemory()
	m.objects[marker] = []byte("archive of goprofinstr, version 2\n")
	if _, err := OpenStore(ctx, "test", m); err == nil {
		t.Error("another version: no error")
	}
}

// TestUnknown has a folder of which nobody knows whether it is an archive, as one that may not be entered.
func TestUnknown(t *testing.T) {
	dir := t.TempDir()
	if Is(filepath.Join(dir, "none")) || Is(dir) {
		t.Error("a folder without anything is an archive, or none is")
	}
	name := filepath.Join(dir, marker)
	if err := os.Symlink(name, name); err != nil { // to itself: whoever runs the tests may enter any folder
		t.Skip(err)
	}
	if !Is(dir) {
		t.Error("it is taken for another folder, and Open is not asked")
	}
	if is, err := Find(dir); is || err == nil {
		t.Errorf("found: %v, %v", is, err)
	}
	for what, open := range map[string]func(context.Context, string) (*Archive, error){"open": Open, "create": Create} {
		if _, err := open(t.Context(), dir); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", what, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if Is(file) {
		t.Error("a file is an archive")
	}
}

// TestIdentity has two archives, of which one is named in two ways, and then another in the place of one.
func TestIdentity(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, name := range []string{"a", "b"} {
		if _, err := Create(ctx, name); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(name, marker), at, at); err != nil {
			t.Fatal(err)
		}
	}
	abs, err := filepath.Abs("a")
	if err != nil {
		t.Fatal(err)
	}
	first := Identity("a")
	if Identity(abs) != first || Identity("b") == first {
		t.Errorf("%q, also %q, and the other one %q", first, Identity(abs), Identity("b"))
	}
	if err := os.RemoveAll("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if Identity("a") == first {
		t.Errorf("another archive in its place is %q, too", first)
	}
	if name := "s3://bucket/p"; Identity(name) != name {
		t.Errorf("%s is %s", name, Identity(name))
	}
}

// TestPlace has the names of version 1: with others, what is in archives would be in the places of others.
func TestPlace(t *testing.T) {
	m := newMemory()
	run := fleet(1, 1)[0]
	run.Service, run.Host = "", "web 1"
	put(t, create(t, m), run)
	want := []string{
		"counts/none~e3b0c44298fc1c14/986e31bb2ff1e2bf/2026-01-01/web_1~5bcf3c836b179f63@0.1767268800000000000",
	}
	if diff := cmp.Diff(want, m.below(countsFolder)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
