package runfile_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

var update = flag.Bool("update", false, "rewrite rundata/testdata")

// TestEncode holds the encoder to the committed files, whose contents rundata's tests know. The file of a program
// that does not say where it was built is as it was before any did.
func TestEncode(t *testing.T) {
	for root, file := range map[string]string{"": "v2.gpi", "/src/m": "v2root.gpi"} {
		testEncode(t, root, "../rundata/testdata/"+file)
	}
}

func testEncode(t *testing.T, root, file string) {
	got := runfile.EncodeRun("example.com/p", "table of p", root, []uint64{7, 0, 1 << 63}, 0xc0de00,
		[]uint64{0 + 1, 5, 1<<40 + 1, 2, 0, 0},
		nil,
		[]uint64{0, 0, 9 + 1, 0, 8 + 1, 4})
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("version 2 is encoded differently than in %s. A change of the format needs a new version, and the old file must keep decoding.", file)
	}
}
