package audit

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/look"
	"github.com/goprofinstr/goprofinstr/export/verdict"
)

// example is the audit of a function with a hostile name, of which B is faster, and of one that is never called.
func example() *Report {
	random := rand.New(rand.NewPCG(1, 1))
	trial := verdict.New(2, verdict.Defaults(26))
	for range 4000 {
		v := random.IntN(2)
		trial.Add(v, 8000-400*float64(v)+100*random.NormFloat64())
	}
	result := trial.Result()
	sources := []string{"func F(s []int) (n int) {\n\tfor _, x := range s {\n\t\tn += x\n\t}\n\treturn n\n}",
		"func aVariant(s []int) (n int) {\n\tfor i := range s { // <script>\n\t\tn += s[i]\n\t}\n\n\treturn n\n}"}
	f := Function{Name: "example.com/<script>&.F", Outcome: result.Outcome, Best: result.Best,
		Pairs: result.Pairs, Clock: 10, Tick: 0.5, Nested: 7}
	for i, name := range []string{"F", "aVariantWithANameThatIsRatherLong"} {
		s := Scale(result.Versions[i], 0.5)
		f.Versions = append(f.Versions, Version{Name: name, Summary: s, Kept: s.Kept, Panicked: 3,
			File: "p/<script>.go", Line: 3 + 10*i, Source: sources[i]})
	}
	never := Function{Name: "p.Never", Outcome: verdict.Undecided,
		Versions: []Version{{Name: "Never"}, {Name: "neverB"}}}
	return &Report{Command: []string{"go", "run", "<x>"}, Confidence: 0.99, Functions: []Function{f, never}}
}

func TestFormats(t *testing.T) {
	for name, write := range Formats {
		var b bytes.Buffer
		if err := write(example(), &b); err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(b.String(), "<script>"+look.JS+"</script>", "", 1)
		b.Reset()
		b.WriteString(text)
		if name != "text" && strings.Contains(text, "<script>") {
			t.Errorf("%s has a name unescaped", name)
		}
		if name == "text" || name == "json" {
			continue
		}
		d := xml.NewDecoder(&b) // pages are well-formed, too, but for tags without an end
		d.Strict = name == "svg"
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden holds the plot and the page as they are, with times on a linear scale and on a logarithmic one.
func TestGolden(t *testing.T) {
	r := example()
	wide := r.Functions[0]
	wide.Name = "p.Wide"
	wide.Versions = slices.Clone(wide.Versions)
	wide.Versions = append(wide.Versions, Version{Name: "third",
		Summary: verdict.Summary{Timings: 4, Capped: 40}, Kept: []float64{3, 30, 400, 9000}})
	r.Functions = append(r.Functions, wide)
	for name, write := range map[string]func(io.Writer) error{"plot.svg": r.WriteSVG, "page.html": r.WriteHTML} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		text := got.String()
		for _, common := range []string{look.CSS, look.JS, look.Hash(look.CSS), look.Hash(look.JS)} {
			text = strings.Replace(text, common, "…", 1) // which all pages have
		}
		got.Reset()
		got.WriteString(text)
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestText(t *testing.T) {
	r := example()
	r.Functions[0].Name = "example.com/p.F"
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"B faster: aVariantWithANameThatIsRatherLong takes 5.0% less time [4.", "99% sure", "never called", "A panicked or ended its goroutine 3 times", "7 calls inside of others"} {
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > 81 {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
}

func TestJSON(t *testing.T) {
	var b, again bytes.Buffer
	if err := example().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	r, err := ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&again); err != nil || again.String() != text {
		t.Errorf("%v, and what is read is not what was written", err)
	}
}
