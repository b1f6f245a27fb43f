package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// JSON of the events of a place. Numbers are strings, as are path numbers, for some exceed what a JSON number safely
// holds.
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
		Other   bool   `json:"other,omitempty"`   // all other values, for which there was no room
		Unnamed bool   `json:"unnamed,omitempty"` // all values that have a name which is not known
	}
)

// writeJSONEvents writes the member "events", if there are any.
func writeJSONEvents(w io.Writer, p *profile.Profile) error {
	for i, e := range p.Events() {
		j := jsonEvents{e.Function.Table.Name, e.Name(), e.Line, e.Col, e.Text, e.Declined, e.Count, []jsonValue{}}
		for _, v := range e.Values {
			j.Values = append(j.Values, jsonValue{v.Name, v.Count, v.Samples, v.Other, v.Unnamed})
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
