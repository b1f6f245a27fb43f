package integration

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestMethodsAreRead has a profile of every way of counting that there is code for.
func TestMethodsAreRead(t *testing.T) {
	read := func(tab *table.Package) *profile.Profile {
		data, err := tab.Encode()
		if err != nil {
			t.Fatal(err)
		}
		pkg := &rundata.Package{Path: tab.Path, Table: data, Counters: make([]uint64, tab.Counters)}
		p, err := profile.New([]*rundata.Run{{Packages: []*rundata.Package{pkg}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, name := range method.Names() {
		tab := &table.Package{Path: "example.com/p"}
		method.New(method.Options{Way: name}, nil, tab.Path).DescribePackage(tab, 6)
		if p := read(tab); len(p.Damaged) > 0 || len(p.Packages) != 1 {
			t.Errorf("%s: %d packages, left out: %v", name, len(p.Packages), p.Damaged)
		}
	}
	p := read(&table.Package{Path: "example.com/p", Counts: "another"})
	if len(p.Damaged) != 1 || len(p.Packages) > 0 {
		t.Errorf("of an unknown way of counting: %d packages, left out: %v", len(p.Packages), p.Damaged)
	}
}
