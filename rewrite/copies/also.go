package copies

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// Derived are executions that leave no evidence (package derive), and the numbers of the targets that count them.
type Derived struct {
	Entries  map[*machine.Function][]*pathmap.Also // where a machine function is entered
	Calls    map[*machine.Block][]*pathmap.Also    // in front of the call that a block ends in
	Back     map[*machine.Block][]*pathmap.Also    // behind it, or where control passes the check that it ends in
	Counters map[*pathmap.Func]uint32              // targets of those that are counted, wherever they are
	Targets  map[*pathmap.Target]uint32            // those of calls that were inlined
}

// unseen returns the operation for several ways without evidence of a target.
func (w *writer) unseen(a *pathmap.Also, target, own uint32) []pathlog.Op {
	plan := slices.IndexFunc(w.plans, func(p Counted) bool { return p.Target == target })
	if plan < 0 {
		return nil
	}
	var ways []pathlog.Way
	for k, list := range a.Ways {
		ops := w.besides(list, own)
		way := w.told[plan].way(a.Unless.Unseen[k])
		way.First, way.N = uint32(len(w.Copier.ops)), w.count(ops)
		w.Copier.ops = append(w.Copier.ops, ops...)
		ways = append(ways, way)
	}
	op := w.doubt(Doubt{Target: target, Ways: a.Unless.Unseen})
	op.Kind, op.Add = pathlog.Choose, pathlog.Chosen(len(w.ways), len(ways))
	w.ways = append(w.ways, ways...)
	return []pathlog.Op{op}
}

// besides returns the operations for executions. A plan's own target is that of marks.
func (w *writer) besides(list []*pathmap.Also, own uint32) (ops []pathlog.Op) {
	for _, a := range list {
		switch {
		case a.Marks:
			ops = append(ops, pathlog.Op{Target: own, Kind: pathlog.Marked})
		case a.Unless == nil:
			if target, ok := w.Derived.Counters[a.F]; ok {
				ops = append(ops, pathlog.Op{Target: target, Kind: pathlog.Also, Next: a.Path})
			}
		default:
			target, ok := w.Derived.Targets[a.Unless]
			if !ok {
				continue
			}
			then := w.besides(a.Then, own)
			if a.Ways != nil {
				then = w.unseen(a, target, own)
			}
			if len(then) == 0 {
				continue
			}
			first := len(w.Copier.ops)
			w.Copier.ops = append(w.Copier.ops, then...)
			ops = append(ops, pathlog.Op{Target: target, Kind: pathlog.Unless, Add: pathlog.Chosen(first, len(then))})
		}
	}
	return ops
}
