package rundata

import (
	"reflect"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// sitesPage is the page of the record that withSites appends.
const sitesPage = 7 + pcct.ChunkWords*8/page

// withSites appends sites: of a path, of a path register that was sampled, of a hash table, and of a package that is not
// registered.
func withSites(b []byte, location pcct.Ref) []byte {
	at, hashed := uint64(address), uint64(hash)
	sites := []uint64{
		0x401000, at, 0, 0, 0, uint64(location),
		0x401010, at | runfile.SiteRegister, 5 * runfile.SampleUnit, 2, at, 0,
		0x401020, hashed + 2*runfile.HashSize | runfile.SiteHash | runfile.SiteRegister, 3 * runfile.SampleUnit, 1, 8, 0,
		0x401030, at + 1<<20, 7, 7, at + 1<<20, 0,
	}
	head := []uint64{runfile.RecordMagic, runfile.KindSites, page, uint64(sitesBegin) * 8, uint64(len(sites)) * 8, uint64(len(sites) / siteWords)}
	return appendRecord(b, 1, append(head, sites...)...)
}

// sitesFile returns a run file with a context tree and sites.
func sitesFile(t testing.TB) []byte {
	tree := exampleTree()
	frames := []pcct.Frame{{Name: "main.main", File: "/src/main.go", Line: 7, StartLine: 5}}
	return withSites(withContexts(v1(t), tree), tree.Location(frames))
}

func TestSites(t *testing.T) {
	run, err := read(sitesFile(t))
	if err != nil {
		t.Fatal(err)
	}
	p := run.Packages[0]
	want := []Site{
		{
			Address: 0x401000, Marker: PathAt{p, -1, 0},
			Frames: []pcct.Frame{{Name: "main.main", File: "/src/main.go", Line: 7, StartLine: 5}},
		},
		{Address: 0x401010, Marker: PathAt{p, -1, 0}, Register: true, Estimate: 5 * runfile.SampleUnit, Samples: 2, Last: PathAt{p, -1, 0}},
		{Address: 0x401020, Marker: PathAt{p, 2, 0}, Register: true, Estimate: 3 * runfile.SampleUnit, Samples: 1, Last: PathAt{p, 2, 8}},
	}
	if !reflect.DeepEqual(run.Sites, want) {
		t.Errorf("got %+v\nwant %+v", run.Sites, want)
	}
}

// TestSitesKilled has the process end between counting a sample and saying of which path.
func TestSitesKilled(t *testing.T) {
	b := sitesFile(t)
	put(b, sitesPage, sitesBegin+siteWords+sitePath, 0)
	run, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	if s := run.Sites[1]; s.Samples != 0 || s.Estimate != 0 || s.Last.Package != nil {
		t.Errorf("a sample of no path: %+v", s)
	}
}

func TestSitesErrors(t *testing.T) {
	for _, test := range []struct {
		word  int
		value uint64
		want  string
	}{
		{siteNumber, 5, "5 sites in a region of 192 bytes at 48"},
		{siteNumber, 1 << 62, "sites in a region of 192 bytes"},
		{headRegion, 56, "sites in a region of 192 bytes at 56"},
	} {
		b := sitesFile(t)
		put(b, sitesPage, test.word, test.value)
		if _, err := read(b); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("word %d: error %v, want %q", test.word, err, test.want)
		}
	}
	b := sitesFile(t)
	if _, err := read(withSites(b, 0)); err == nil {
		t.Error("two records of sites make no error")
	}
}

// TestUncounted has a function that was sampled, and two that nothing can count, of which one has a Hash.
func TestUncounted(t *testing.T) {
	const reason = 2
	at, hashed := uint64(address), uint64(hash)
	not := uint64(runfile.SiteUncounted | reason<<runfile.SiteReason)
	words := []uint64{at | runfile.SiteSampled, at | not, hashed + 2*runfile.HashSize | runfile.SiteHash | not}
	const region = 6 * 8
	head := []uint64{runfile.RecordMagic, runfile.KindFunctions, page, region, uint64(len(words)) * 8, uint64(len(words))}
	run, err := read(appendRecord(withContexts(v1(t), exampleTree()), 1, append(head, words...)...))
	if err != nil {
		t.Fatal(err)
	}
	p := run.Packages[0]
	if want := []PathAt{{p, -1, 0}}; !reflect.DeepEqual(run.Sampled, want) {
		t.Errorf("%+v were sampled, want %+v", run.Sampled, want)
	}
	want := []Uncounted{{PathAt{p, -1, 0}, reason}, {PathAt{p, 2, 0}, reason}}
	if !reflect.DeepEqual(run.Uncounted, want) {
		t.Errorf("%+v are not counted, want %+v", run.Uncounted, want)
	}
}
