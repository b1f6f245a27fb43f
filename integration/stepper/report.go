package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
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
	all     []*function            // those that could not be copied, too
	unknown map[*pathmap.Func]bool // there may be code of them that is not known
	left    map[string]string      // functions that are not followed, and why
}

// newProgram maps all functions of a test binary, and copies them.
func newProgram(p *pkg, binary string) (*program, error) {
	ours := func(file string) bool { _, _, ok := label.Split(file); return ok }
	wanted := func(name string) bool { return strings.HasPrefix(name, p.path+".") || name == "runtime.copystack" }
	im, err := machine.Open(binary, wanted, ours)
	if err != nil {
		return nil, err
	}
	m := &program{image: im, copier: begin(im.File), left: make(map[string]string), unknown: make(map[*pathmap.Func]bool)}
	byName := make(map[string]*pathmap.Func)
	for _, f := range p.source.Funcs {
		byName[p.path+"."+plain(f.Name)] = f
	}
	for _, mf := range im.Funcs {
		if err := im.Build(mf); err != nil {
			m.left[mf.Name] = err.Error()
			m.lose(byName, mf)
			continue
		}
		fn := &function{machine: mf, stacks: mf.Name == "runtime.copystack"}
		f := byName[plain(mf.Name)]
		if f == nil {
			f = p.source.FuncOf(mf)
		}
		if f != nil {
			fn.targets = append(fn.targets, p.source.NewTarget(f, mf, nil))
		}
		var visit func(s *machine.Scope)
		visit = func(s *machine.Scope) {
			for _, c := range s.Children {
				if f := byName[plain(c.Name)]; f != nil {
					fn.targets = append(fn.targets, p.source.NewTarget(f, mf, c))
				}
				visit(c)
			}
		}
		visit(mf.Root)
		if len(fn.targets) == 0 && !fn.stacks {
			continue
		}
		if !fn.stacks {
			m.all = append(m.all, fn)
		}
		fn.looks = make(map[*machine.Inst][]look)
		for _, t := range fn.targets {
			fn.walkers = append(fn.walkers, t.NewWalker())
			if p.plans {
				fn.followers = append(fn.followers, newFollower(t))
			}
			for _, l := range t.Looks {
				fn.looks[l.At] = []look{{reg: l.Register, condition: l.Condition}}
			}
		}
		if err := m.copier.copyFunction(fn); err != nil {
			m.left[mf.Name] = err.Error()
			continue
		}
		m.funcs = append(m.funcs, fn)
	}
	return m, nil
}

// lose notes of functions of the source that there may be code of them that is not known.
func (m *program) lose(byName map[string]*pathmap.Func, mf *machine.Function) {
	var visit func(s *machine.Scope)
	visit = func(s *machine.Scope) {
		if f := byName[plain(s.Name)]; f != nil {
			m.unknown[f] = true
		}
		for _, c := range s.Children {
			visit(c)
		}
	}
	visit(mf.Root)
}

var brackets = regexp.MustCompile(`\[.*\]`)

// plain is a function's name without type arguments.
func plain(name string) string { return brackets.ReplaceAllString(name, "") }

// reset forgets what was counted.
func (m *program) reset() {
	m.decoder = decoder{}
	for _, fn := range m.funcs {
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
}

// A row is about one function of the source.
type row struct {
	f        *pathmap.Func
	targets  []*pathmap.Target
	walkers  []*pathmap.Walker
	exact    map[uint64]int64 // by path
	decoded  map[uint64]int64
	doubtful map[uint64]int64
	proof    *pathmap.Proof
	broken   int64
	differ   []uint64 // paths without doubt whose counts differ
	ends     int64    // exact path ends
	sure     int64    // of them, those of paths without doubt
	wrong    int64    // sum of differences
	unseen   int64    // path ends of which a copy leaves no evidence, but of no others
	follows  int64    // executions that follow from those of callers, if derived
	derived  bool     // there is one path, and where it is inlined nothing may be left of it: how often it runs follows from where it is called
}

func newReport(p *pkg, m *program) *report {
	r := &report{pkg: p, program: m}
	rows := make(map[*pathmap.Func]*row)
	for _, f := range p.source.Funcs {
		rows[f] = &row{f: f, exact: make(map[uint64]int64), decoded: make(map[uint64]int64), doubtful: make(map[uint64]int64)}
		r.rows = append(r.rows, rows[f])
	}
	for _, fn := range m.funcs {
		for k, t := range fn.targets {
			rows[t.F].targets = append(rows[t.F].targets, t)
			rows[t.F].walkers = append(rows[t.F].walkers, fn.walkers[k])
		}
	}
	return r
}

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
		row.compare()
	}
	if err := r.derive(); err != nil {
		return err
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
	d, _ := r.f.Decoder()
	if d.NumPaths() == 1 {
		r.derived = r.exact[0] != r.decoded[0]
		if !r.derived {
			r.sure += r.ends
		}
		return
	}
	ids := make(map[uint64]bool)
	for id := range r.exact {
		ids[id] = true
	}
	for id := range r.decoded {
		ids[id] = true
	}
	for id := range ids {
		p, err := d.Path(id)
		if err != nil || !r.proof.Told(p.Edges) {
			continue
		}
		if !p.Loop && r.proof.Unseen(p.Edges) {
			r.unseen += r.exact[id]
			continue
		}
		r.sure += r.exact[id]
		if r.exact[id] != r.decoded[id] {
			r.differ = append(r.differ, id)
			r.wrong += max(r.exact[id], r.decoded[id]) - min(r.exact[id], r.decoded[id])
		}
	}
	slices.Sort(r.differ)
}

func (r *row) kills() (n int) {
	for _, t := range r.targets {
		n += len(t.Kills)
	}
	return n
}

// equal reports whether no path without doubt has another count than exact mode says.
func (r *report) equal() bool {
	for _, row := range r.rows {
		if len(row.differ) > 0 {
			return false
		}
	}
	return true
}

// share returns the share of path ends that are told, in machine code or by where calls are executed.
func (r *report) share() float64 {
	var ends, told int64
	for _, row := range r.rows {
		ends += row.ends
		told += row.sure + row.unseen
		if row.derived {
			told += row.ends
		}
	}
	return float64(told) / float64(max(1, ends))
}

// row returns the shares of path ends as a row of a table.
func (r *report) row() string {
	var ends, sure, derived, doubtful, wrong int64
	var differ []string
	for _, row := range r.rows {
		ends, sure, wrong = ends+row.ends, sure+row.sure, wrong+row.wrong
		for _, n := range row.doubtful {
			doubtful += n
		}
		derived += row.unseen
		if row.derived {
			derived += row.ends
		}
		if len(row.differ) > 0 {
			differ = append(differ, fmt.Sprintf("%s (%d)", row.f.Name, row.wrong))
		}
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(1, ends)) }
	return fmt.Sprintf("%d | %.2f | %.2f | %.2f | %.4f | %v | %s |", ends, share(sure), share(derived), share(doubtful),
		share(wrong), r.verdict(false), strings.Join(differ, ", "))
}

func (r *report) print(w io.Writer, o *options) {
	var ends, sure, wrong, broken, doubtful, derived int64
	var differ, killed int
	for _, row := range r.rows {
		ends, sure, wrong, broken = ends+row.ends, sure+row.sure, wrong+row.wrong, broken+row.broken
		for _, n := range row.doubtful {
			doubtful += n
		}
		if len(row.differ) > 0 {
			differ++
		}
		derived += row.unseen
		if row.derived {
			derived += row.ends
		}
		if row.kills() > 0 {
			killed++
		}
		if o.verbose || len(row.differ) > 0 || o.only != "" && strings.Contains(row.f.Name, o.only) {
			row.print(w, o, r.pkg.source)
		}
	}
	d := &r.program.decoder
	fmt.Fprintf(w, "%s: %d functions, %d records, %d activations, %d orphans, %d lost ways\n", r.pkg.path, len(r.rows),
		d.records, d.entries, d.orphans, len(d.wrong))
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(1, ends)) }
	fmt.Fprintf(w, "  path ends %d; without doubt %.2f%%, derived %.2f%%; decoded otherwise %.3f%% in %d functions; doubtful %.2f%%, broken %.3f%%; %d functions have kills\n",
		ends, share(sure), share(derived), share(wrong), differ, share(doubtful), share(broken), killed)
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

func (r *row) print(w io.Writer, o *options, source *pathmap.Source) {
	var doubtful int64
	for _, n := range r.doubtful {
		doubtful += n
	}
	if r.derived {
		fmt.Fprintf(w, "%s: %d ends, %d derived\n", r.f.Name, r.ends, r.follows)
	}
	fmt.Fprintf(w, "%s: %d ends, %d without doubt, %d doubtful, off by %d, %d broken, %d copies, %d doubts, %d kills\n",
		r.f.Name, r.ends, r.sure, doubtful, r.wrong, r.broken,
		len(r.targets), r.doubts(), r.kills())
	if o.only == "" || !strings.Contains(r.f.Name, o.only) {
		return
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
	for _, id := range r.differ {
		p, _ := d.Path(id)
		fmt.Fprintf(w, "    path %d %v: exact %d, decoded %d\n", id, r.blocks(p.Edges), r.exact[id], r.decoded[id])
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
			fmt.Fprintf(w, "    doubt %d→%d at %#x in %s: %d ways\n", b.From, b.To, b.PC, t.M.Name, len(b.Ways))
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
