package lua

// Benchmark driver added by the evaluation: the module's own benchmarks exercise
// only the registry and the call-frame stack, not the VM loop.

import "testing"

func corpusLua(b *testing.B, src string) {
	L := NewState()
	defer L.Close()
	fn, err := L.LoadString(src)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		L.Push(fn)
		if err := L.PCall(0, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCorpusFib(b *testing.B) {
	corpusLua(b, `local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
assert(fib(16) == 987)`)
}

func BenchmarkCorpusSieve(b *testing.B) {
	corpusLua(b, `local n, p = 2000, {}
for i = 2, n do p[i] = true end
for i = 2, n do if p[i] then local j = i * i; while j <= n do p[j] = false; j = j + i end end end
local c = 0
for i = 2, n do if p[i] then c = c + 1 end end
assert(c == 303)`)
}

func BenchmarkCorpusStrings(b *testing.B) {
	corpusLua(b, `local s = "the quick brown fox jumps over the lazy dog"
local c = 0
for i = 1, 20 do for w in string.gmatch(s, "%a+") do if string.find(w, "o") then c = c + #w end end end
assert(c > 0)`)
}
