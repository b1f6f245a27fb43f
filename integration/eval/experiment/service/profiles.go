package service

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/integration/eval/estimates"
)

// said is what a profile says of a function.
type said struct {
	calls   float64
	of      *estimates.Number // the same with its interval, if the profile has one
	perCall float64           // ns, 0 if it is not known
}

// read returns what a profile says of the functions of the service, by their names without the package.
func read(p *profile.Profile) (map[string]said, error) {
	functions := make(map[string]said)
	for _, f := range p.Functions() {
		functions[plain(f.Table.Name)] = said{calls: float64(f.Entries)}
	}
	numbers, err := estimates.Read(p)
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		f := functions[plain(n.Name)]
		f.of = n.Calls
		functions[plain(n.Name)] = f
	}
	return functions, addTimes(functions, p)
}

// addTimes adds the time of a call as the report has it.
func addTimes(functions map[string]said, p *profile.Profile) error {
	var text bytes.Buffer
	if err := report.WriteJSON(&text, p, 0); err != nil {
		return err
	}
	var r struct {
		Hot []struct {
			Name  string
			Cum   float64 `json:"cum_ns"`
			Calls float64
		} `json:"hot_functions"`
	}
	if err := json.Unmarshal(text.Bytes(), &r); err != nil {
		return err
	}
	for _, h := range r.Hot {
		if f, ok := functions[plain(h.Name)]; ok && h.Calls > 0 {
			f.perCall = h.Cum / h.Calls
			functions[plain(h.Name)] = f
		}
	}
	return nil
}

// plain returns a function's name without its package.
func plain(name string) string { return name[strings.LastIndex(name, ".")+1:] }
