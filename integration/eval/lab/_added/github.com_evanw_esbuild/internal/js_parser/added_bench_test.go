package js_parser

// Benchmark driver added by the evaluation: this module ships no Go benchmarks.

import (
	"strings"
	"testing"

	"github.com/evanw/esbuild/internal/ast"
	"github.com/evanw/esbuild/internal/config"
	"github.com/evanw/esbuild/internal/js_printer"
	"github.com/evanw/esbuild/internal/logger"
	"github.com/evanw/esbuild/internal/renamer"
	"github.com/evanw/esbuild/internal/test"
)

const corpusJS = `
export class Point { #x = 1; static n = 0; constructor(x, y) { this.#x = x; this.y = y ?? 0 } get x() { return this.#x } }
function f(a, b = 2, ...rest) { label: for (let i = 0; i < rest.length; i++) { switch (rest[i]) { case 1: continue label; case 'two': break label; default: a += i * b } } return a }
const g = async ({ p, q: [r, s] = [] }, t) => { try { await p?.(r, s) } catch { return t ? r : s } finally { f(1, 2, 3) } };
let re = /[a-z]+(?<name>x)\/y/gi, str = ` + "`a${f(1)}b${g({})}`" + `, big = 0xFFn ** 2n, obj = { ...str, [re]: 1, m() {}, async *gen() { yield* [] } };
if (typeof obj === 'object' && !(obj instanceof Point) || obj.m?.().z) { do { var h = (1 + 2) * 3 >> 1 } while (h < 4) } else delete obj.m;
`

func corpusBench(b *testing.B, options config.Options, print bool) {
	var parts []string
	for i := 0; i < 20; i++ {
		parts = append(parts, "{"+strings.ReplaceAll(corpusJS, "export ", "")+"}")
	}
	src := test.SourceForTest(strings.Join(parts, "\n"))
	options.OmitRuntimeForTests = true
	b.SetBytes(int64(len(src.Contents)))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		log := logger.NewDeferLog(logger.DeferLogNoVerboseOrDebug, nil)
		tree, ok := Parse(log, src, OptionsFromConfig(&options))
		if !ok {
			for _, m := range log.Done() {
				b.Log(m.String(logger.OutputOptions{}, logger.TerminalInfo{}))
			}
			b.Fatal("parse error")
		}
		if print {
			symbols := ast.NewSymbolMap(1)
			symbols.SymbolsForSource[0] = tree.Symbols
			js_printer.Print(tree, symbols, renamer.NewNoOpRenamer(symbols), js_printer.Options{})
		}
	}
}

func BenchmarkCorpusParse(b *testing.B)      { corpusBench(b, config.Options{}, false) }
func BenchmarkCorpusParsePrint(b *testing.B) { corpusBench(b, config.Options{}, true) }
func BenchmarkCorpusMinify(b *testing.B) {
	corpusBench(b, config.Options{MinifySyntax: true, MinifyWhitespace: true}, true)
}
