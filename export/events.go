package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// An event is what was counted besides paths at a place in a function.
type event struct {
	function *profile.Function
	*profile.Events
}

// kindOf returns the kind of events as -kinds names it.
func kindOf(e *profile.Events) string {
	if e.Kind == table.Numbers || e.Kind == table.Texts {
		return "values"
	}
	return string(e.Kind)
}

// eventsOf returns the events of a profile that were counted or declined, in source order.
func eventsOf(p *profile.Profile) (list []event) {
	for _, f := range p.Functions() {
		for i := range f.Events {
			list = append(list, event{f, &f.Events[i]})
		}
	}
	return list
}

// JSON of the events of a place. Numbers are strings, as are path numbers, for some exceed what a JSON number safely holds.
type (
	jsonEvents struct {
		Function string      `json:"function"`
		Kind     string      `json:"kind"`
		Line     int         `json:"line"`
		Col      int         `json:"col"`
		Text     string      `json:"text"`
		Declined string      `json:"declined,omitempty"`
		Count    int64       `json:"count"`
		Values   []jsonValue `json:"values"`
	}
	jsonValue struct {
		Value   string `json:"value"` // of calls the function's name, else a number or a string
		Count   int64  `json:"count"`
		Samples int64  `json:"samples,omitempty"`
		Other   bool   `json:"other,omitempty"` // all other values, for which there was no room
	}
)

// writeJSONEvents writes the member "events", if there are any.
func writeJSONEvents(w io.Writer, p *profile.Profile) error {
	for i, e := range eventsOf(p) {
		j := jsonEvents{e.function.Table.Name, kindOf(e.Events), e.Line, e.Col, e.Text, e.Declined, e.Count, []jsonValue{}}
		for _, v := range e.Values {
			j.Values = append(j.Values, jsonValue{v.Name, v.Count, v.Samples, v.Other})
		}
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(j); err != nil {
			return err
		}
		sep := ",\n"
		if i == 0 {
			sep = "\n],\"events\":[\n"
		}
		fmt.Fprintf(w, "%s%s", sep, bytes.TrimSuffix(line.Bytes(), []byte("\n")))
	}
	return nil
}

// WriteEventsPprof writes a gzipped pprof profile of the events of one kind, with a sample for each value at each place: of calls the function that was called, whose caller is
// the function with the call; of others a frame such as "pkg.Func {len(x) 12}" called by pkg.Func. Labels: value.
func WriteEventsPprof(w io.Writer, p *profile.Profile, kind string) error {
	b := newPprofBuilder(p, kind)
	for _, e := range eventsOf(p) {
		if kindOf(e.Events) != kind {
			continue
		}
		for _, v := range e.Values {
			if v.Count == 0 {
				continue
			}
			b.prof.Sample = append(b.prof.Sample, &pprof.Sample{
				Location: []*pprof.Location{b.valueLocation(e, v), b.location(e.function, "", e.Line)},
				Value:    []int64{v.Count},
				Label:    map[string][]string{"value": {printable(v.Name)}},
			})
		}
	}
	return b.write(w)
}

// valueLocation returns the leaf of a sample.
func (b *pprofBuilder) valueLocation(e event, v profile.Value) *pprof.Location {
	if e.Kind != table.Calls {
		return b.location(e.function, fmt.Sprintf(" {%s %s}", e.Text, shownValue(e, v)), e.Line)
	}
	key := frame{name: v.Name}
	if b.functions[key] == nil {
		b.functions[key] = b.newFunction(v.Name, "", 0)
	}
	return b.locationOf(key, b.functions[key])
}

// shownValue returns a value as people read it: strings with quotes.
func shownValue(e event, v profile.Value) string {
	if e.Kind == table.Texts && !v.Other {
		return strconv.Quote(v.Name)
	}
	return printable(v.Name)
}

// mostValues is how many values of a place a report shows.
const mostValues = 3

// writeEvents writes what was counted besides paths at the top places of each kind.
func writeEvents(w io.Writer, p *profile.Profile, top int) {
	byKind := make(map[string][]event)
	declined := make(map[string]int)
	for _, e := range eventsOf(p) {
		switch kind := kindOf(e.Events); {
		case e.Declined != "":
			declined[e.Declined]++
		case e.Count > 0:
			byKind[kind] = append(byKind[kind], e)
		}
	}
	for _, kind := range []string{"calls", "trips", "values"} {
		list := byKind[kind]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(b.Count, a.Count) })
		fmt.Fprintf(w, "\n%s\n", eventTitles[kind])
		for _, e := range list[:min(len(list), max(top, 0))] {
			fmt.Fprintf(w, "  %s  %s:%d  %s\n", grouped(e.Count), shortenLeft(printable(e.function.Table.Name), 40), e.Line, printable(e.Text))
			for _, v := range e.Values[:min(len(e.Values), mostValues)] {
				fmt.Fprintf(w, "    %6s  %s\n", percent(v.Count, e.Count), shortenLeft(shownValue(e, v), width-12))
			}
			if more := len(e.Values) - mostValues; more > 0 {
				fmt.Fprintf(w, "            and %s\n", plural(more, "other"))
			}
		}
	}
	if len(declined) > 0 {
		fmt.Fprintf(w, "\nnot counted\n")
		for _, reason := range slices.Sorted(maps.Keys(declined)) {
			fmt.Fprintf(w, "  %s: %s\n", plural(declined[reason], "place"), reason)
		}
	}
}

var eventTitles = map[string]string{
	"calls":  "calls of interface methods and function values: executions, place, targets",
	"trips":  "how often loops went round: times left, place, rounds",
	"values": "values: assignments, place, most frequent ones",
}
