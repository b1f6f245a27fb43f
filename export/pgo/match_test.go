package pgo

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

func TestTargetIsRenamed(t *testing.T) {
	f, do, run := table.Callee{Package: "p", Name: "F"}, table.Callee{Package: "p", Name: "(*T).Do"},
		table.Callee{Package: "p", Name: "(*T).Run"}
	c := call{caller: f, offset: 1, target: "p.(*T).Do"}
	s := siteOf(c)
	m := &match{
		functions: map[function]*counterpart{
			{"p", "F"}:       {name: f, was: f, same: true, sites: map[site]bool{s: true}, to: map[site]site{s: s}},
			{"p", "(*T).Do"}: {name: run, was: do},
		},
		symbols: map[string]function{"p.F": {"p", "F"}, "p.(*T).Do": {"p", "(*T).Do"}},
	}
	if now, how := m.find(function{"p", "F"}, c); how != byLine || now.target != "p.(*T).Run" {
		t.Errorf("the call is of %s, found %d; want p.(*T).Run, %d", now.target, how, byLine)
	}
}
