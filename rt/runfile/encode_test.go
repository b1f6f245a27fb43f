package runfile_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

var update = flag.Bool("update", false, "rewrite rundata/testdata")

// TestEncode holds the encoder to the committed file, whose contents rundata's
// tests know.
func TestEncode(t *testing.T) {
	got := runfile.EncodeRun("example.com/p", "table of p", []uint64{7, 0, 1 << 63}, 0xc0de00,
		[]uint64{0 + 1, 5, 1<<40 + 1, 2, 0, 0},
		nil,
		[]uint64{0, 0, 9 + 1, 0, 8 + 1, 4})
	const file = "../rundata/testdata/v2.gpi"
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
