package gate

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// neverExecuted returns a function without counts. It stands for one that was left out since its counts make no
// sense. Nobody knows what of it was executed, and a demand must not be met for want of data.
func neverExecuted(pkg string, t *table.Function) *profile.Function {
	blocks, edges := make([]int64, len(t.Blocks)), make([]int64, len(t.Edges))
	return &profile.Function{Package: pkg, Table: t, Blocks: blocks, Edges: edges}
}

// addDamage adds what parts of the profile that are left out mean for the result. Where it is known how large a
// part is, all of it is not covered; otherwise the check has failed. So it has for a package whose tests did not run, if it
// could not be instrumented, as when it does not compile. A baseline demands less for each part that it has lost.
func (r *Result) addDamage(p, baseline *profile.Profile) {
	measured := make(map[string]bool) // functions that are left out and have their graph
	for _, f := range p.Functions() {
		if f.LeftOut != nil {
			measured[f.LeftOut.Name] = true
			r.LeftOut++
		}
	}
	for _, d := range p.Damaged {
		known := false // how large it is
		switch d.Part {
		case profile.FunctionPart:
			if measured[d.Name] {
				continue
			}
		case profile.RunFile:
			known = true
		case profile.PackagePart:
			known = hasPackage(p, d.Name)
		case profile.TableFile:
		default:
			continue
		}
		if known {
			r.Damaged++
		} else {
			r.Unread = append(r.Unread, d.String())
		}
	}
	for _, name := range p.NotRun {
		if !isKnown(p, name) {
			r.Unread = append(r.Unread, name+": its tests did not run")
		}
	}
	if baseline == nil {
		return
	}
	for _, d := range baseline.Damaged {
		switch d.Part {
		case profile.RunFile, profile.PackagePart, profile.FunctionPart, profile.TableFile:
			r.Unread = append(r.Unread, "of the baseline, "+d.String())
		}
	}
}

func hasPackage(p *profile.Profile, path string) bool {
	return slices.ContainsFunc(p.Packages, func(pkg *profile.Package) bool { return pkg.Path == path })
}

// isKnown reports whether a package has a function that was instrumented, executed or not. There is nothing to know of one
// without functions.
func isKnown(p *profile.Profile, path string) bool {
	for _, pkg := range p.Packages {
		if pkg.Path == path {
			instrumented := func(f *profile.Function) bool { return !f.Declined() }
			return len(pkg.Functions) == 0 || slices.ContainsFunc(pkg.Functions, instrumented)
		}
	}
	return false
}
