package profile

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// InStrata tells whether the paths of f were sampled in strata. In a profile that is not Sampled, these and no others are
// estimates.
func (f *Function) InStrata() bool { return f.Table.Counts == table.Strata }
