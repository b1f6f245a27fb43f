package lab

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseTime(t *testing.T) {
	const header = "goos: linux\npkg: p\n"
	tests := []struct {
		out  string
		want float64 // 0 for an error
	}{
		{header + "BenchmarkX\t     100\t     12345 ns/op\nPASS\n", 12345},
		{header + "BenchmarkX/a=1-2   3  0.5012 ns/op  17.00 MB/s  5 B/op  1 " +
			"allocs/op\nPASS\ncoverage: 17.9% of statements\n", 0.5012},
		{header + "BenchmarkX/a 1 2 ns/op\nBenchmarkX/b 1 2 ns/op\nPASS\n", 0},
		{header + "PASS\n", 0},
		{header + "BenchmarkX 1 17.00 MB/s\nPASS\n", 0},
	}
	for _, test := range tests {
		got, err := ParseTime([]byte(test.out))
		if got != test.want || (err == nil) != (test.want != 0) {
			t.Errorf("%q: got %v, %v, want %v", test.out, got, err, test.want)
		}
	}
}

func TestPattern(t *testing.T) {
	if got, want := Pattern("Decode/a.txt/1e5"), `^BenchmarkDecode$/^a\.txt$/^1e5$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseInstructions(t *testing.T) {
	const out = "==12== \n==12== Events    : Ir\n==12== Collected : 102550922\n==12== \n"
	if n, err := ParseInstructions([]byte(out)); n != 102550922 || err != nil {
		t.Errorf("got %v, %v", n, err)
	}
	if n, err := ParseInstructions([]byte("==12== killed\n")); err == nil {
		t.Errorf("without a count: %v", n)
	}
}

func TestCheckCounted(t *testing.T) {
	b := &Bench{RunDir: t.TempDir()}
	check := func(mode, stdout string, ok bool) {
		t.Helper()
		if err := b.checkCounted(FindMode(mode), []byte(stdout)); (err == nil) != ok {
			t.Errorf("%s, with %q: %v", mode, stdout, err)
		}
	}
	check("plain", "PASS\n", true)
	check("cover-set", "PASS\n", false)
	check("cover-set", "PASS\ncoverage: 1.0% of statements\n", true)
	check("exact", "PASS\n", false)
	if err := os.WriteFile(filepath.Join(b.RunDir, "run.1.gpi"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	check("exact", "PASS\n", true)
}
