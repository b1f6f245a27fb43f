package gate

import (
	"slices"
	"strings"

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
// part is, all of it is not covered; otherwise the check has failed. So it has for a package whose tests did not run, if it may
// not compile. A baseline demands less for each part that it has lost.
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
			known = find(p, d.Name) != nil
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
		switch pkg := find(p, name); {
		case pkg == nil || mayNotCompile(pkg):
			r.Unread = append(r.Unread, name+": its tests did not run")
		case slices.ContainsFunc(pkg.Functions, isInstrumented):
			r.NotRun = append(r.NotRun, name)
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

// find returns a package by its path, or nil.
func find(p *profile.Profile, path string) *profile.Package {
	i := slices.IndexFunc(p.Packages, func(pkg *profile.Package) bool { return pkg.Path == path })
	if i < 0 {
		return nil
	}
	return p.Packages[i]
}

func isInstrumented(f *profile.Function) bool { return !f.Declined() }

// mayNotCompile reports whether all functions of a package are declined and one of them for a reason that a package may have
// which does not compile. Of others it is known what there is to cover, if only that it is nothing.
func mayNotCompile(pkg *profile.Package) bool {
	broken := func(f *profile.Function) bool {
		why := f.Table.Declined
		return f.LeftOut != nil || strings.HasPrefix(why, table.Untyped) || strings.HasPrefix(why, table.ImportsC)
	}
	return !slices.ContainsFunc(pkg.Functions, isInstrumented) && slices.ContainsFunc(pkg.Functions, broken)
}
