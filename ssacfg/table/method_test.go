package table

import (
	"bytes"
	"compress/flate"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMethodsOfOldTables reads tables as they were when they had booleans, and writes them the same.
func TestMethodsOfOldTables(t *testing.T) {
	function := func(flags string) string {
		return `{"Name":"F","File":"m.go","Line":1,"EndLine":2,"Body":{"Line":0,"Col":0,"EndLine":0,"EndCol":0},` +
			`"Declined":"","Blocks":null,"Edges":null,"Entry":0,"Exit":0,"Statements":null,` +
			`"Values":{"NumPaths":0,"Edge":null,"Starts":null},"Positions":null,"ByLine":false,"LineHash":0,` +
			`"Storage":"hash","First":0,"Hash":0,"Entries":-1,` + flags + `"Merged":0}`
	}
	for _, test := range []struct {
		name, sampled, stratified, function string
		counts, events, of                  Method
	}{
		{"exact", `false`, ``, ``, Exact, Exact, Exact},
		{"ticks", `true`, ``, ``, Ticks, Exact, Ticks},
		{"strata", `true`, `,"Stratified":true`, `"Stratified":true,`, Strata, Strata, Strata},
		{"strata of many paths and events", `false`, `,"Stratified":true`, `"Stratified":true,`, Exact, Strata, Strata},
		{"strata of many paths", `false`, ``, `"Stratified":true,`, Exact, Exact, Strata},
		{"another", `"another"`, ``, ``, "another", Exact, "another"},
		{"another of some", `false`, ``, `"Stratified":"another",`, Exact, Exact, "another"},
		{"strata of events", `false`, `,"Stratified":true`, ``, Exact, Strata, Exact},
	} {
		text := `{"Path":"m","Counters":0,"Sampled":` + test.sampled +
			`,"Functions":[` + function(test.function) + `]` + test.stratified + "}\n"
		var data bytes.Buffer
		data.WriteString(magic + string(rune(Version)))
		w, err := flate.NewWriter(&data, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := Decode(data.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := []Method{p.Counts, p.Events, p.MethodOf(&p.Functions[0])}
		if diff := cmp.Diff([]Method{test.counts, test.events, test.of}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
		again, err := p.Encode()
		if err != nil || !bytes.Equal(again, data.Bytes()) {
			t.Errorf("%s: encoded in another way, %v", test.name, err)
		}
	}
}
