package mcdc

import "github.com/goprofinstr/goprofinstr/export/mcdc/decision"

// A piece is what a path has of evaluations of a decision. Paths of functions with very many are cut at other edges than back
// edges, too (BL 5). So are evaluations: the next path begins where the edge leads.
type piece struct {
	start     int  // block that the path begins with
	loop      bool // … behind an edge that is cut
	end       int  // block that the path's last edge leads to
	cut       bool // … which is cut
	abandoned bool // the path has not come to its end
	nearby    bool // … but not much further than to the last condition
	count     int64

	at     decision.Vector // what it says of conditions
	begins bool            // evaluations begin on it
}

// mostBeginnings is how many ways to begin an evaluation are kept for one block.
const mostBeginnings = 256

// join puts evaluations together that paths have pieces of. Those that begin with an edge to a block go on with the paths
// from there. If evaluations have come there in several ways, it is not known which of them went on how.
func (o *found) join() {
	if len(o.pieces) == 0 || o.lost != "" {
		return
	}
	begun := make(map[int]map[string]decision.Vector) // by block
	for changed := true; changed; {
		changed = false
		for _, p := range o.pieces {
			for _, at := range o.ways(&p, begun) {
				if e := o.evaluate(at); !e.fits || e.whole || !p.cut {
					continue
				}
				if begun[p.end] == nil {
					begun[p.end] = make(map[string]decision.Vector)
				}
				if key := at.String(); begun[p.end][key] == nil {
					begun[p.end][key], changed = at, true
				}
				if len(begun[p.end]) > mostBeginnings {
					o.lost = "paths cut it in too many ways"
					return
				}
			}
		}
	}
	for _, p := range o.pieces {
		if !p.begins {
			o.finish(&p, o.ways(&p, begun))
		}
	}
}

// ways returns what is known of conditions at the end of a piece, for each way in which evaluations have begun.
func (o *found) ways(p *piece, begun map[int]map[string]decision.Vector) (list []decision.Vector) {
	if p.begins {
		return []decision.Vector{p.at}
	}
	for _, before := range begun[p.start] {
		at, fits := make(decision.Vector, len(p.at)), true
		for i, is := range p.at {
			at[i] = max(is, before[i])
			fits = fits && (is == decision.Skipped || before[i] == decision.Skipped)
		}
		if fits {
			list = append(list, at)
		}
	}
	return list
}

// finish adds the evaluations that end on a piece, given how they may have gone.
func (o *found) finish(p *piece, ways []decision.Vector) {
	var whole []evaluated
	goOn := false
	for _, at := range ways {
		switch e := o.evaluate(at); {
		case e.whole:
			whole = append(whole, e)
		case e.fits:
			goOn = true
		}
	}
	switch {
	case goOn && p.abandoned:
		o.d.Cut += p.count
	case goOn && p.cut:
	case len(whole) == 0:
		o.lost = "a path begins in the midst of it"
	case p.nearby && whole[0].hidden:
		o.open = true
	case len(whole) == 1:
		o.addVector(&whole[0], p.count)
	default:
		o.d.Joined += p.count
		var all []decision.Vector
		for _, e := range whole {
			all = append(all, alternatives(&Evaluated{Vector: e.Vector, Hidden: e.hidden})...)
		}
		o.several = append(o.several, decision.Observation{Alternatives: all})
	}
}
