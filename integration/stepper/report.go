package main

import (
	"debug/elf"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// A program is a labelled test binary.
type program struct {
	image   *machine.Image
	copier  *copier
	decoder decoder
	funcs   []*function
	all     []*function                // those that could not be copied, too
	unknown map[*pathmap.Func]bool     // there may be code of them that is not known
	left    map[string]string          // functions that are not followed, and why
	plans   bool                       // are followed, too
	sources map[string]*pathmap.Source // by import path
	named   map[string]sourced         // as pathmap.PlainName has them
}

// newProgram maps all functions of a test binary, and copies them.
func newProgram(p *pkg, binary string) (*program, error) {
	ours := func(file string) bool { _, _, ok := label.Split(file); return ok }
	wanted := func(name string) bool {
		return strings.HasPrefix(name, p.path+".") || strings.HasPrefix(name, p.path+"_test.") || name == "runtime.copystack"
	}
	im, err := machine.Open(binary, wanted, ours)
	if err != nil {
		return nil, err
	}
	m := &program{image: im, copier: begin(im.File), left: make(map[string]string), plans: p.plans,
		sources: make(map[string]*pathmap.Source), named: make(map[string]sourced), unknown: make(map[*pathmap.Func]bool)}
	for _, part := range p.parts {
		m.sources[part.path] = part.source
		for _, f := range part.source.Funcs {
			m.named[pathmap.PlainName(part.path+"."+f.Name)] = sourced{f, part.source}
		}
	}
	for _, mf := range im.Funcs {
		if err := m.add(mf); err != nil {
			m.left[mf.Name] = err.Error()
		}
	}
	return m, nil
}

// lose notes of functions of the source that there may be code of them that is not known.
func (m *program) lose(mf *machine.Function) {
	var visit func(s *machine.Scope)
	visit = func(s *machine.Scope) {
		if f := m.funcOf(mf, s); f.Func != nil {
			m.unknown[f.Func] = true
		}
		for _, c := range s.Children {
			visit(c)
		}
	}
	visit(mf.Root)
}

// look has the copy look at what l asks for. All that look at one instruction ask for the same.
func (fn *function) look(l *pathmap.Look) {
	fn.looks[l.At] = []look{{reg: l.Register, condition: l.Condition}}
}

// A sourced is a function with the package that it is in.
type sourced struct {
	*pathmap.Func
	source *pathmap.Source
}

// noteReturns notes behind which calls the log tells that control has come back: those in return statements of a source.
func (fn *function) noteReturns(s *pathmap.Source) {
	for _, b := range fn.machine.Blocks {
		if i := b.Last(); b.Calls() && s.Returns(s.Place(i.File, i.Line)) {
			fn.returns[b.Succs[0]] = b
		}
	}
}

// add maps a function and copies it.
func (m *program) add(mf *machine.Function) error {
	if err := m.image.Build(mf); err != nil {
		m.lose(mf)
		return err
	}
	fn := &function{machine: mf, stacks: mf.Name == "runtime.copystack", reached: make([]int64, len(mf.Blocks)),
		back: make([]int64, len(mf.Blocks)), returns: make(map[*machine.Block]*machine.Block)}
	add := func(s *machine.Scope, at *machine.Scope) {
		if f := m.funcOf(mf, s); f.Func != nil {
			fn.targets = append(fn.targets, f.source.NewTarget(f.Func, mf, at))
			fn.noteReturns(f.source)
		}
	}
	add(mf.Root, nil)
	var visit func(s *machine.Scope)
	visit = func(s *machine.Scope) {
		for _, c := range s.Children {
			add(c, c)
			visit(c)
		}
	}
	visit(mf.Root)
	if !fn.stacks {
		m.all = append(m.all, fn)
	}
	fn.looks = make(map[*machine.Inst][]look)
	for _, t := range fn.targets {
		fn.walkers = append(fn.walkers, t.NewWalker())
		if m.plans {
			fn.followers = append(fn.followers, newFollower(t))
		}
		for _, l := range t.Looks {
			fn.look(l)
		}
		for _, looks := range t.UnseenLooks {
			fn.look(looks[0])
		}
	}
	if m.image.File.Machine == elf.EM_X86_64 {
		if err := m.copier.copyFunction(fn); err != nil {
			return err
		}
	}
	m.funcs = append(m.funcs, fn)
	return nil
}

// funcOf returns the function of the source that a machine function is, or a call that was inlined into it.
func (m *program) funcOf(mf *machine.Function, s *machine.Scope) sourced {
	if f := m.named[derive.Function(s.Name)]; f.Func != nil {
		return f
	}
	for _, source := range m.sources {
		if f := source.FuncOf(mf, s); f != nil {
			return sourced{f, source}
		}
	}
	return sourced{}
}

// reset forgets what was counted.
func (m *program) reset() {
	m.decoder = decoder{}
	for _, fn := range m.funcs {
		fn.entries, fn.lost = 0, false
		clear(fn.reached)
		clear(fn.back)
		for _, w := range fn.walkers {
			w.Reset()
		}
		for _, f := range fn.followers {
			clear(f.counts)
		}
	}
}

// A report compares decoded counts with exact ones.
type report struct {
	pkg     *pkg
	program *program
	rows    []*row
	explain func(f *pathmap.Func) []string // what is derived
}

// A row is about one function of the source.
type row struct {
	f        *pathmap.Func
	table    *profile.Function // as exact mode has it
	targets  []*pathmap.Target
	walkers  []*pathmap.Walker
	exact    map[uint64]int64 // by path
	decoded  map[uint64]int64
	doubtful map[uint64]int64
	proof    *pathmap.Proof
	broken   int64
	differ   []uint64 // paths without doubt whose counts differ, and those that cannot be executed
	ends     int64    // exact path ends
	sure     int64    // of them, those of paths that the machine code tells
	derived  int64    // and those that follow from where the function is called
	open     int64    // and those that should, but are not known
	why      string   // they are not
	wrong    int64    // sum of differences
	count    *derive.Count
}

func newReport(p *pkg, m *program) *report {
	r := &report{pkg: p, program: m}
	rows := make(map[*pathmap.Func]*row)
	for _, f := range p.parts[0].source.Funcs {
		if isTest(p.parts[0].source.Position(f.Node.Pos()).Filename) {
			continue // exact mode does not count it
		}
		rows[f] = &row{f: f, exact: make(map[uint64]int64), decoded: make(map[uint64]int64), doubtful: make(map[uint64]int64)}
		r.rows = append(r.rows, rows[f])
	}
	for _, fn := range m.funcs {
		for k, t := range fn.targets {
			if row := rows[t.F]; row != nil {
				row.targets = append(row.targets, t)
				row.walkers = append(row.walkers, fn.walkers[k])
			}
		}
	}
	return r
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// compare reads what was counted.
func (r *report) compare(dir string) error {
	p, err := profile.Load(dir)
	if err != nil {
		return err
	}
	counted := make(map[string]*profile.Function)
	for _, f := range p.Functions() {
		counted[f.Table.Name] = f
	}
	derived, err := r.derive()
	if err != nil {
		return err
	}
	for _, row := range r.rows {
		name := r.pkg.path + "." + row.f.Name
		f := counted[name]
		if f == nil || len(f.Table.Edges) != len(row.f.Graph.Edges) {
			r.program.left[name] = "exact mode has another graph"
			continue
		}
		if err := row.read(f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		row.count, row.table = derived[row.f], f
		row.compare()
	}
	sort.SliceStable(r.rows, func(i, j int) bool { return r.rows[i].ends > r.rows[j].ends })
	return nil
}

func (r *row) read(f *profile.Function) error {
	d, err := r.f.Decoder()
	if err != nil {
		return err
	}
	for _, p := range f.Paths {
		id, err := d.Number(pathOf(&p))
		if err != nil {
			return err
		}
		r.exact[id] += p.Count
		r.ends += p.Count
	}
	for _, w := range r.walkers {
		for id, n := range w.Counts {
			r.decoded[id] += n
		}
		for id, n := range w.Doubtful {
			r.doubtful[id] += n
		}
		r.broken += w.Broken
	}
	return nil
}

// compare finds the paths without doubt whose counts differ.
func (r *row) compare() {
	r.proof = pathmap.Prove(r.f, r.targets)
	for _, w := range r.walkers {
		for _, d := range w.Open {
			r.proof.Open(d)
		}
		for k := range w.Lost {
			r.proof.Lose(k[0], k[1])
		}
	}
	ids := make(map[uint64]bool)
	for _, counts := range []map[uint64]int64{r.exact, r.decoded, r.count.Paths} {
		for id := range counts {
			ids[id] = true
		}
	}
	d, _ := r.f.Decoder()
	for id := range ids {
		p, err := d.Path(id)
		if err != nil || !r.told(p.Edges) {
			continue
		}
		if why := r.isOpen(id); why != "" {
			r.open += r.exact[id]
			r.why = why
			continue
		}
		if r.follows(id, &p) {
			r.derived += r.exact[id]
		} else {
			r.sure += r.exact[id]
		}
		if got := r.decoded[id] + r.count.Paths[id]; got != r.exact[id] {
			r.differ = append(r.differ, id)
			r.wrong += max(r.exact[id], got) - min(r.exact[id], got)
		}
	}
	r.differ = append(r.differ, r.contradicts(r.decoded)...)
	slices.Sort(r.differ)
	r.differ = slices.Compact(r.differ)
}

// told reports whether the machine code tells a path, or would if there were any.
func (r *row) told(path []int) bool {
	return r.proof.Told(path) || len(r.targets) == 0 && r.count.Calls > 0 && len(r.f.Graph.Edges) == 1
}

// isOpen returns why it is not known how often a path is executed without evidence, "" if it is.
func (r *row) isOpen(path uint64) string {
	if r.count.Any != "" {
		return r.count.Any
	}
	return r.count.Open[path]
}

// follows reports whether the count of a path follows from those of callers.
func (r *row) follows(id uint64, p *pathnum.Path) bool {
	return r.count.Paths[id] != 0 || !p.Loop && r.proof.Unseen(p.Edges) || r.count.Calls > 0 && len(r.f.Graph.Edges) == 1
}

// whole reports whether all paths are told.
func (r *row) whole() bool {
	return r.count.Any == "" && len(r.count.Open) == 0 && (r.proof.Whole() || r.told(nil) && len(r.targets) == 0)
}

func (r *row) kills() (n int) {
	for _, t := range r.targets {
		n += len(t.Kills)
	}
	return n
}

// equal reports whether no path without doubt has another count than exact mode says, and no path has one that cannot be executed.
func (r *report) equal() bool {
	for _, row := range r.rows {
		if len(row.differ) > 0 {
			return false
		}
	}
	return true
}

// row returns the shares of path ends as a row of a table.
func (r *report) row() string {
	var ends, sure, derived, open, doubtful, wrong int64
	var differ []string
	for _, row := range r.rows {
		ends, sure, derived, open, wrong = ends+row.ends, sure+row.sure, derived+row.derived, open+row.open, wrong+row.wrong
		for _, n := range row.doubtful {
			doubtful += n
		}
		if len(row.differ) > 0 {
			differ = append(differ, fmt.Sprintf("%s (%d)", row.f.Name, row.wrong))
		}
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(1, ends)) }
	return fmt.Sprintf("%d | %.2f | %.2f | %.2f | %.2f | %.4f | %v | %v | %s |", ends, share(sure), share(derived), share(open),
		share(doubtful), share(wrong), r.verdict(false), r.verdict(true), strings.Join(differ, ", "))
}

func (r *report) print(w io.Writer, o *options) {
	var ends, sure, wrong, broken, doubtful, derived, open int64
	var differ, killed int
	for _, row := range r.rows {
		ends, sure, wrong, broken = ends+row.ends, sure+row.sure, wrong+row.wrong, broken+row.broken
		for _, n := range row.doubtful {
			doubtful += n
		}
		if len(row.differ) > 0 {
			differ++
		}
		derived, open = derived+row.derived, open+row.open
		if row.kills() > 0 {
			killed++
		}
		if o.verbose || len(row.differ) > 0 || o.only != "" && strings.Contains(row.f.Name, o.only) {
			row.print(w, o, r)
		}
	}
	d := &r.program.decoder
	fmt.Fprintf(w, "%s: %d functions, %d records, %d activations, %d orphans, %d lost ways\n", r.pkg.path, len(r.rows),
		d.records, d.entries, d.orphans, len(d.wrong))
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(1, ends)) }
	fmt.Fprintf(w, "  path ends %d; without doubt %.2f%%, derived %.2f%%, open %.2f%%; decoded otherwise %.3f%% in %d functions; "+
		"doubtful %.2f%%, broken %.3f%%; %d functions have kills\n",
		ends, share(sure), share(derived), share(open), share(wrong), differ, share(doubtful), share(broken), killed)
	v := r.verdict(false)
	fmt.Fprintf(w, "  path ends (%%) in functions that are told, with markers, executions of these, in functions that keep the register: %v\n", v)
	fmt.Fprintf(w, "  if that is decided without counts: %v\n", r.verdict(true))
	if v.plans > 0 {
		fmt.Fprintf(w, "  %d plans, %d with a node for each block; %d blocks, %d nodes\n", v.plans, v.single, v.blocks, v.nodes)
	}
	for name, why := range r.program.left {
		fmt.Fprintf(w, "  left out: %s: %s\n", name, why)
	}
	for what, n := range d.wrong {
		fmt.Fprintf(w, "  no way: %s: %d\n", what, n)
	}
}

func (r *row) print(w io.Writer, o *options, of *report) {
	source := of.pkg.parts[0].source
	var doubtful int64
	for _, n := range r.doubtful {
		doubtful += n
	}
	if r.count != nil {
		fmt.Fprintf(w, "%s: %d derived, %d open %s, %d calls without evidence, %v\n", r.f.Name, r.derived, r.open, r.why,
			r.count.Calls, r.count.Paths)
	}
	fmt.Fprintf(w, "%s: %d ends, %d without doubt, %d doubtful, off by %d, %d broken, %d copies, %d doubts, %d kills\n",
		r.f.Name, r.ends, r.sure, doubtful, r.wrong, r.broken,
		len(r.targets), r.doubts(), r.kills())
	if o.only == "" || !strings.Contains(r.f.Name, o.only) {
		return
	}
	if of.explain != nil {
		for _, l := range of.explain(r.f) {
			fmt.Fprintln(w, "    derived:", l)
		}
	}
	_, markers := r.judge(false)
	for _, e := range markers {
		fmt.Fprintf(w, "    to be marked: %v, %d executions\n", r.blocks([]int{e}), r.edgeCounts()[e])
	}
	d, _ := r.f.Decoder()
	for _, b := range r.f.Graph.Blocks {
		fmt.Fprintf(w, "    block %d %s", b.Index(), source.Position(b.From))
		for _, e := range b.Out() {
			fmt.Fprintf(w, " →%d %s", e.To.Index(), e.Kind)
		}
		fmt.Fprintln(w)
	}
	for _, c := range source.Calls(r.f) {
		fmt.Fprintf(w, "    call of %s%s, line %d, block %d, edge %d, counted %v\n", c.Callee, c.Method, c.Line, c.Block, c.Edge,
			c.Counted)
	}
	for _, id := range r.differ {
		p, _ := d.Path(id)
		fmt.Fprintf(w, "    path %d %v: exact %d, decoded %d\n", id, r.blocks(p.Edges), r.exact[id], r.decoded[id])
		if r.table.Infeasible(p.Edges) {
			fmt.Fprintln(w, "      its conditions contradict each other")
		}
	}
	for id, n := range r.doubtful {
		p, _ := d.Path(id)
		fmt.Fprintf(w, "    doubtful path %d %v: %d, exact %d\n", id, r.blocks(p.Edges), n, r.exact[id])
	}
	for _, t := range r.targets {
		t.Dump(w)
		for k := range t.Kills {
			fmt.Fprintf(w, "    kill %d→%d at %#x in %s\n", k.From, k.To, k.PC, t.M.Name)
		}
		for _, b := range t.Doubts {
			fmt.Fprintf(w, "    doubt %d→%d at %#x in %s: %d ways, of which looks do not tell %v\n", b.From, b.To, b.PC, t.M.Name,
				len(b.Ways), t.Untold(b))
		}
	}
}

func (r *row) doubts() (n int) {
	for _, t := range r.targets {
		n += len(t.Doubts)
	}
	return n
}

// blocks returns the blocks that edges lead through.
func (r *row) blocks(edges []int) (list []int) {
	for k, e := range edges {
		if k == 0 {
			list = append(list, r.f.Graph.Edges[e].From.Index())
		}
		list = append(list, r.f.Graph.Edges[e].To.Index())
	}
	return list
}

// pathOf returns a path as package pathnum has it.
func pathOf(p *profile.Path) pathnum.Path {
	return pathnum.Path{Start: p.Start, Loop: p.Loop, Edges: p.Edges}
}
