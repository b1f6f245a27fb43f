package toolchain

import (
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
)

// TestLookup has flags on the command line, in GOFLAGS, and in both.
func TestLookup(t *testing.T) {
	for _, test := range []struct{ args, goflags, flag, want string }{
		{"", "", "count", "none"},
		{"-count=2", "-count=3", "count", "2"},
		{"", "-count=3 --count=4", "count", "4"},
		{"", "-test.count=3", "count", "3"},
		{"", "-race", "race", "true"},
		{"", `'-tags=a b' "-modfile=x y/alt.mod"`, "modfile", "x y/alt.mod"},
		{"", `'-tags=-race'`, "race", "none"},
		{"", `'-tags=a -race'`, "race", "none"},
		{"", `'-race`, "race", "none"}, // which the go command does not take
	} {
		c, err := gocmd.Parse(append([]string{"go", "test"}, strings.Fields(test.args)...))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := (&Toolchain{GOFLAGS: test.goflags}).Lookup(c, test.flag)
		if !ok {
			got = "none"
		}
		if got != test.want {
			t.Errorf("go test %s, GOFLAGS=%s: -%s is %q, want %q", test.args, test.goflags, test.flag, got, test.want)
		}
	}
}

// TestIs has booleans as strconv reads them.
func TestIs(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "-race": true, "-race=T": true, "-race=F": false, "-race=0": false, "-race=False": false,
	} {
		c, err := gocmd.Parse(append([]string{"go", "test"}, strings.Fields(value)...))
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Toolchain{}).Is(c, "race"); got != want || c.Is("race") != want {
			t.Errorf("go test %s: -race is %t", value, got)
		}
		if got := (&Toolchain{GOFLAGS: value}).Is(new(gocmd.Command), "race"); got != want {
			t.Errorf("GOFLAGS=%s: -race is %t", value, got)
		}
	}
}

// TestRuns has command lines that run what they build, and such that only build it.
func TestRuns(t *testing.T) {
	for _, test := range []struct {
		line, goflags string
		want          bool
	}{
		{"go build", "", false},
		{"go run .", "-c", true},
		{"go test", "", true},
		{"go test -c", "", false},
		{"go test", "-c", false},
		{"go test -c=false", "-c", true},
	} {
		c, err := gocmd.Parse(strings.Fields(test.line))
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Toolchain{GOFLAGS: test.goflags}).Runs(c); got != test.want {
			t.Errorf("%s, GOFLAGS=%s: runs is %t", test.line, test.goflags, got)
		}
	}
}

// TestLoadFlags has values of GOFLAGS, and what becomes of them where packages are listed.
func TestLoadFlags(t *testing.T) {
	for _, test := range []struct{ goflags, flags, rest string }{
		{"", "-tags=x", ""},
		{"-race", "-tags=x", "-race"},
		{"-modfile=alt.mod -race", "-modfile=alt.mod|-tags=x", "-race"},
		{"'-modfile=alt.mod'", "-modfile=alt.mod|-tags=x", "-buildvcs=auto"},
		{`--modfile=a.mod "-modfile=a b.mod" '-gcflags=-N -l'`, "-modfile=a.mod|-modfile=a b.mod|-tags=x", "'-gcflags=-N -l'"},
		{"-modfile=alt.mod 'x", "-tags=x", "-modfile=alt.mod 'x"},
		{`-modfile=alt.mod -tags=a'b"c`, "-tags=x", `-modfile=alt.mod -tags=a'b"c`},
	} {
		c := &gocmd.Command{Flags: []gocmd.Flag{{Name: "tags", Value: "x"}}}
		flags, env := (&Toolchain{GOFLAGS: test.goflags}).LoadFlags(c)
		if got := strings.Join(flags, "|"); got != test.flags || !slices.Contains(env, "GOFLAGS="+test.rest) {
			t.Errorf("GOFLAGS=%s: flags %s, want %s; environment %q, want %s",
				test.goflags, got, test.flags, env[len(env)-1], test.rest)
		}
	}
}
