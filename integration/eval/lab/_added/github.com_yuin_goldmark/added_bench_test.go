package goldmark_test

// Benchmark driver added by the evaluation (the module keeps its own benchmarks in
// a separate nested module that the zip leaves out).

import (
	"bytes"
	"os"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

func corpusSource(b *testing.B) []byte {
	src, err := os.ReadFile("README.md")
	if err != nil {
		b.Fatal(err)
	}
	return src
}

func BenchmarkCorpusConvert(b *testing.B) {
	src := corpusSource(b)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))
	var buf bytes.Buffer
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		buf.Reset()
		if err := md.Convert(src, &buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCorpusParse(b *testing.B) {
	src := corpusSource(b)
	p := goldmark.DefaultParser()
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		p.Parse(text.NewReader(src))
	}
}
