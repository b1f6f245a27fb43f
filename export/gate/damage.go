package gate

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// neverExecuted returns a function without counts. It stands for one that was left out since its counts make no sense: nobody knows what
// of it was executed, and a demand must not be met for want of data.
func neverExecuted(pkg string, t *table.Function) *profile.Function {
	return &profile.Function{Package: pkg, Table: t, Blocks: make([]int64, len(t.Blocks)), Edges: make([]int64, len(t.Edges))}
}

// addDamage adds what parts of the profile that are left out mean for the result. Where it is known how large a part is, all of it is not covered; otherwise the
// check has failed. A baseline demands less for each part that it has lost.
func (r *Result) addDamage(p, baseline *profile.Profile) {
	for _, f := range p.Functions() {
		if f.LeftOut != nil {
			r.LeftOut++
		}
	}
	for _, d := range p.Damaged {
		switch {
		case d.Part == profile.FunctionPart && slices.ContainsFunc(p.Functions(), func(f *profile.Function) bool { return f.LeftOut != nil && f.LeftOut.Name == d.Name }):
		case d.Part == profile.FunctionPart, d.Part == profile.TableFile,
			d.Part == profile.PackagePart && !slices.ContainsFunc(p.Packages, func(pkg *profile.Package) bool { return pkg.Path == d.Name }):
			r.Unread = append(r.Unread, d.String())
		case d.Part == profile.RunFile, d.Part == profile.PackagePart:
			r.Damaged++
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
