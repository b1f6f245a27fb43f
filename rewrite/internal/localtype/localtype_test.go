package localtype

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestTold has functions that ask for their types, or store values by them, and others that do neither.
func TestTold(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"type mark struct{}; x := mark{}; _ = x == mark{} && last == any(1)", ""},
		{"type mark struct{}; if last == any(mark{}) { return }", "mark"},
		{"type mark struct{}; if (mark{}) != last { return }", "mark"},
		{"type mark struct{}; switch last { case 1, mark{}: }", "mark"},
		{"type mark struct{}; switch { case last == nil: }; x := mark{}; _ = x == mark{}", ""},
		{"type mark struct{}; _ = last == any(any(mark{}))", "mark"},
		{"type list struct{ s []int }; value.Store(list{})", "list"},
		{"type list struct{ s []int }; value.Store(&list{})", "list"},
		{"type list struct{ s []int }; value.Store(map[string][]*list{})", "list"},
		{"type list struct{ s []int }; value.Swap(any(list{}))", "list"},
		{"type list struct{ s []int }; var p atomic.Pointer[list]; p.Store(&list{})", ""},
		{"type list struct{ s []int }; take(list{})", ""},
		{"type mark struct{}; take(mark{})", "mark"},
		{"type mark struct{}; _ = append([]any{}, mark{})", ""},
		{"type mark struct{}; delete(map[any]int{}, mark{})", "mark"},
		{"type mark struct{}; type same = mark; _, _ = last.(*same)", "mark"},
		{"type mark struct{}; var k any = mark{}; _ = last == k", "mark"},
		{"type mark struct{}; k := any(mark{}); _ = map[any]int{}[k]", "mark"},
		{"type mark struct{}; for _, k := range []any{mark{}} { delete(map[any]int{}, k) }", "mark"},
		{"type mark struct{}; _ = []any{mark{}}", ""},
		{"type mark struct{}; last = mark{}", ""},
		{"type mark struct{}; kept = mark{}", "mark"},
		{"type mark struct{}; _ = is[int](last)", ""},
		{"type mark struct{}; _ = is[mark](last)", "mark"},
		{"type mark struct{}; _ = zero[mark]()", ""},
		{"type wrap struct{ error }; var w wrap; _ = errors.As(nil, &w)", "wrap"},
		{"type wrap struct{ error }; _, _ = errors.AsType[*wrap](nil)", "wrap"},
		{"type wrap struct{ error }; _ = errors.Is(nil, wrap{})", "wrap"},
	} {
		f, info := check(t, `import ("errors"; "sync/atomic"); var last, kept any; var value atomic.Value; func take(any) {}; `+
			`func Same(k any) bool { return k == kept }; func is[T any](x any) bool { _, ok := x.(T); return ok }; `+
			`func zero[T any]() (x T) { return }; func init() { _ = errors.New }; var _ atomic.Value; func F() {`+test.body+"}")
		if got := Told(f.Decls[len(f.Decls)-1], []*ast.File{f}, info); got != test.want {
			t.Errorf("%s: told by %q, want %q", test.body, got, test.want)
		}
	}
}

// TestOf has functions of a package that tell what they get by its type, or pass it on to others that do, or do neither.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		src  string
		told bool
	}{
		{"func get(k any) int { return 1 }; func F() { get(mark{}) }", false},
		{"func get(k any) int { return seen[k] }; func F() { get(mark{}) }", true},
		{"func F() { get(mark{}) }; func get(k any) int { return find(k) }; func find(k any) int { return seen[(k)] }", true},
		{"func get(m map[mark]int, k mark) int { return m[k] }; func F() { get(nil, mark{}) }", false},
		{"func is(k any) bool { return k == nil || 1 == k }; func F() { is(mark{}) }", false},
		{"func is(k any) bool { return k == last }; func F() { is(mark{}) }", true},
		{"func is(k any) bool { switch last { case k: return true }; return false }; func F() { is(mark{}) }", true},
		{"func join(a ...any) string { return fmt.Sprint(a...) }; func F() { join(1, mark{}) }", false},
		{"func join(a ...any) { for _, k := range a { seen[k]++ } }; func F() { join(1, mark{}) }", true},
		{"func join(a ...any) { seen[a[0]]++ }; func all(a ...any) { join(a[1:]...) }; func F() { all(mark{}) }", true},
		{"func join(a ...any) { keys.Delete(a[0]) }; func F() { join(1, mark{}) }", true},
		{"type set struct{}; func (set) has(k any) bool { return k == last }; func F() { set{}.has(mark{}) }", true},
		{"type set struct{}; func (set) has(n, k any) bool { return k == last }; func F() { set.has(set{}, mark{}, 1) }", false},
		{"type set struct{}; func (set) has(n, k any) bool { return k == last }; func F() { set.has(set{}, 1, mark{}) }", true},
		{"func same[T any](_ T, k any) bool { return k == last }; func F() { same(1, mark{}) }", true},
		{"func F(f func(any)) { f(mark{}) }", true},
		{"func key() any { return mark{} }; func F() { _ = key() }", false},
		{"func key() any { return mark{} }; func F() { seen[key()]++ }", true},
		{"func key() (k any) { k = mark{}; return }; func F() { seen[key()]++ }", true},
		{"func key() any { _ = func() any { return mark{} }; return 1 }; func F() { seen[key()]++ }", false},
		{"func key() (any, bool) { return mark{}, true }; func F() { a, _ := key(); b, _ := key(); _ = a != b }", true},
		{"func key() (any, any) { return mark{}, 1 }; func F() { _, a := key(); _, b := key(); _ = a != b }", false},
		{"func key() (any, bool) { return mark{}, true }; func F() { var k, _ = key(); seen[k]++ }", true},
		{"func key() (k any, err error) { k = mark{}; return }; func F() { var k any; k, _ = (key()); seen[k]++ }", true},
		{"func key() (any, bool) { return mark{}, true }; func all() (any, bool) { return key() }; " +
			"func F() { k, _ := all(); seen[k]++ }", true},
		{"func key() (any, bool) { return mark{}, true }; func find(k any, _ bool) { seen[k]++ }; func F() { find(key()) }", true},
		{"func key() (int, any) { return 1, mark{} }; func find(_ int, k ...any) { seen[k[0]]++ }; func F() { find(key()) }", true},
		{"func key() (int, any) { return 1, mark{} }; func find(n int, _ any) { seen[n]++ }; func F() { find(key()) }", false},
		{"type box[T any] struct{}; func (b box[T]) key() (any, bool) { return mark{}, true }; " +
			"func F(b box[int]) { k, _ := b.key(); seen[k]++ }", true},
		{"type box struct{ k, v any }; func F() { b := box{v: mark{}}; seen[b.k]++ }", false},
		{"type box struct{ k, v any }; func F() { b := box{v: mark{}}; seen[b.v]++ }", true},
		{"type box struct{ k, v any }; func F() { b := box{1, mark{}}; seen[b.v]++ }", true},
		{"type box[T any] struct{ k any }; func F(b *box[int]) { b.k = mark{}; seen[b.k]++ }", true},
		{"func F(c chan any) { c <- mark{}; seen[<-c]++ }", true},
		{"func F(c chan any) { c <- mark{}; for k := range c { seen[k]++ } }", true},
		{"func F(c chan any) { c <- mark{}; if k, ok := <-c; ok { seen[k]++ } }", true},
		{"func F(x any) { x = mark{}; k, _ := x.(any); seen[k]++ }", true},
		{"func F(keys []any) { keys = append(keys, mark{}); seen[keys[0]]++ }", true},
		{"func F() any { var k any = mark{}; return k }", false},
	} {
		f, info := check(t, `import ("fmt"; "sync"); type mark struct{}; var last any; var seen map[any]int; var keys sync.Map; `+
			`func init() { fmt.Print() };`+test.src)
		declared := make(map[types.Object]bool)
		for id, obj := range info.Defs {
			declared[obj] = id.Name == "mark"
		}
		found := Of([]*ast.File{f}, info, declared, func(*ast.TypeAssertExpr) bool { return false })
		if told := len(found) > 0; told != test.told {
			t.Errorf("%s: told: %t, want %t", test.src, told, test.told)
		}
	}
}

// check returns the file of a package whose clause it adds.
func check(t *testing.T, src string) (*ast.File, *types.Info) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package p; "+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{Importer: importer.Default()}
	if _, err := conf.Check("p", fset, []*ast.File{f}, info); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return f, info
}
