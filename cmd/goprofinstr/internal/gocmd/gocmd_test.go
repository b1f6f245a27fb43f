package gocmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		line     string
		dir      string
		flags    string // name=value, …
		packages string
		rest     string
	}{
		{line: "go test"},
		{line: "go test ./...", packages: "./..."},
		{line: "go test -v -run X . ./b", flags: "v=true run=X", packages: ". ./b"},
		{line: "go test . -run X -v", packages: ".", flags: "run=X v=true"},
		{line: "go test -run=X -test.bench=. .", flags: "run=X bench=.", packages: "."},
		{line: "go test --race --tags=a,b .", flags: "race=true tags=a,b", packages: "."},
		{line: "go test -race=false .", flags: "race=false", packages: "."},
		// An unknown flag may have the next word as its value, so no packages follow.
		{line: "go test -update golden", rest: "-update golden"},
		{line: "go test . -update -v", packages: ".", rest: "-update", flags: "v=true"},
		// It is taken for the value, as flags of the go command behind it are for the go command.
		{line: "go test . -update x -v", packages: ".", rest: "-update x", flags: "v=true"},
		{line: "go test -update golden -race -tags x -c", rest: "-update golden", flags: "race=true tags=x c=true"},
		{line: "go test . -update x y -v", packages: ".", rest: "-update x y -v"},
		{line: "go test . -update=x y -v", packages: ".", rest: "-update=x y -v"},
		{line: "go test . -update -v x -race", packages: ".", rest: "-update x -race", flags: "v=true"},
		{line: "go test . -update -other x -run X -args -v", packages: ".", rest: "-args -update -other x -v", flags: "run=X"},
		{line: "go test . -v x y", packages: ".", flags: "v=true", rest: "x y"},
		{line: "go test . -args -v .", packages: ".", rest: "-args -v ."},
		{line: "go test . -v -- -race x", packages: ".", flags: "v=true", rest: "-- -race x"},
		{line: "go test . -v x -args", packages: ".", flags: "v=true", rest: "x -args"},
		{line: "go test -C sub -v .", dir: "sub", flags: "v=true", packages: "."},
		{line: "go test -C=sub", dir: "sub"},
		{line: "go -C sub test -v .", dir: "sub", flags: "v=true", packages: "."},
		{line: "go --C=sub run . -C x", dir: "sub", packages: ".", rest: "-C x"},
		{line: "go build -o prog -tags x ./cmd/a ./cmd/b", flags: "o=prog tags=x", packages: "./cmd/a ./cmd/b"},
		{line: "go install -v ./...", flags: "v=true", packages: "./..."},
		{line: "go run . -v x", packages: ".", rest: "-v x"},
		{line: "go run -race a.go b.go x.txt c.go", flags: "race=true", packages: "a.go b.go", rest: "x.txt c.go"},
		{line: "go run -exec wrapper ./cmd -- x", flags: "exec=wrapper", packages: "./cmd", rest: "-- x"},
		{line: "/opt/go/bin/go build", flags: "", packages: ""},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			c, err := Parse(strings.Fields(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			for _, f := range c.Flags {
				flags = append(flags, f.Name+"="+f.Value)
			}
			got := []string{c.Dir, strings.Join(flags, " "), strings.Join(c.Packages, " "), strings.Join(c.Rest, " ")}
			want := []string{tt.dir, tt.flags, tt.packages, tt.rest}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("dir, flags, packages, rest (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseHelp(t *testing.T) {
	for line, want := range map[string]bool{
		"go build -h":          true,
		"go build -v --help":   true,
		"go run -help . -x":    true,
		"go run . -h":          false, // of the program
		"go test . -v -h":      true,
		"go test . -args -h":   false,
		"go install -race . .": false,
	} {
		c, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if c.Help != want {
			t.Errorf("%s: Help is %v", line, c.Help)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", "nothing to wrap"},
		{"go", "nothing to wrap"},
		{"ls -l", "cannot wrap ls"},
		{"go vet ./...", "cannot wrap go vet"},
		{"go build -frob", "unknown flag -frob of go build"},
		{"go build -o", "flag -o of the go command needs a value"},
		{"go test -C", "flag -C of the go command needs a value"},
		{"go -C", "flag -C of the go command needs a value"},
		{"go -C sub", "nothing to wrap"},
		{"go -C sub vet", "cannot wrap go vet"},
		{"go -C sub build -C sub", "unknown flag -C of go build"}, // the go command takes one
		{"go run -c .", "unknown flag -c of go run"},
	}
	for _, tt := range tests {
		_, err := Parse(strings.Fields(tt.line))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want one with %q", tt.line, err, tt.want)
		}
	}
}

func TestArgs(t *testing.T) {
	c, err := Parse(strings.Fields("go test -C sub -v -overlay=o.json -gcflags -N . -overlay p.json -run X y -update x"))
	if err != nil {
		t.Fatal(err)
	}
	c.Remove("overlay")
	got := strings.Join(c.Args("-overlay=ours.json", "-count=1"), " ")
	want := "test -C sub -overlay=ours.json -count=1 -v -gcflags -N . -run X y -update x"
	if got != want {
		t.Errorf("Args:\n got %s\nwant %s", got, want)
	}
	if got := strings.Join(c.LoadFlags(), " "); got != "-gcflags=-N" {
		t.Errorf("LoadFlags: %s", got)
	}
}

func TestTakeCover(t *testing.T) {
	tests := []struct {
		line, args string
		want       Cover
	}{
		{"go test .", "test .", Cover{}},
		{"go test -cover -v .", "test -v .", Cover{On: true}},
		{"go test -cover=false .", "test .", Cover{}},
		{"go test -cover=F .", "test .", Cover{}},
		{"go test -race=f -covermode=set", "test -race=f", Cover{On: true, Mode: "set"}},
		{"go test -covermode=count . -coverprofile c.out -run X", "test . -run X",
			Cover{On: true, Mode: "count", Profile: "c.out"}},
		{"go test -test.coverprofile=/x/c.out", "test", Cover{On: true, Profile: "/x/c.out"}},
		{"go test -C sub -coverprofile=c.out", "test -C sub", Cover{On: true, Profile: "sub/c.out"}},
		{"go test -C sub -coverprofile=c.out -outputdir=o", "test -C sub -outputdir=o",
			Cover{On: true, Profile: "sub/o/c.out"}},
		{"go test -coverpkg=./a,std -cover=0", "test", Cover{Patterns: []string{"./a", "std"}}},
		{"go test -race -coverpkg=all", "test -race", Cover{On: true, Patterns: []string{"all"}}},
		{"go test . -update x -coverprofile c.out", "test . -update x", Cover{On: true, Profile: "c.out"}},
		// What belongs to the test binary is left alone.
		{"go test . -args -cover", "test . -args -cover", Cover{}},
	}
	for _, tt := range tests {
		c, err := Parse(strings.Fields(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		outputdir, _ := c.Lookup("outputdir")
		got, err := c.TakeCover(outputdir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
		if args := strings.Join(c.Args(), " "); args != tt.args {
			t.Errorf("%s: what is left is %q, want %q", tt.line, args, tt.args)
		}
		again, err := Parse(append([]string{"go"}, c.Args(got.Flags()...)...))
		if err != nil {
			t.Fatal(err)
		}
		want := Cover{On: got.On}
		if got.On {
			want.Mode, want.Patterns = got.Mode, got.Patterns
		}
		if got, err := again.TakeCover(""); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: Flags ask for %+v, %v, want %+v", tt.line, got, err, want)
		}
	}
	c, err := Parse([]string{"go", "test", "-cover=maybe"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.TakeCover(""); err == nil || !strings.Contains(err.Error(), `"maybe" for -cover`) {
		t.Errorf("error %v", err)
	}
	for _, line := range []string{"go test -covermode=some", "go test -race -covermode=count", "go test -race=T -covermode=set"} {
		c, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.TakeCover(""); err == nil || !strings.Contains(err.Error(), "-covermode") {
			t.Errorf("%s: error %v", line, err)
		}
	}
}
