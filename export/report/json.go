package report

import (
	"bufio"
	"io"
	"math/big"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// The parts of the JSON report. Numbers of paths that name one are strings, as in jsonFunction.
type (
	jsonReport struct {
		Version      int                `json:"version"`  // of the schema
		Headline     string             `json:"headline"` // what the text begins with
		Mode         string             `json:"mode"`
		Program      string             `json:"program"` // "" if several ran
		Runs         int                `json:"runs"`
		Start        *time.Time         `json:"start,omitempty"` // of the first run
		Warnings     []string           `json:"warnings"`
		Total        jsonCoverage       `json:"total"`
		Missing      []jsonHole         `json:"missing"` // conditions that were never true, or never false, in functions that ran
		HotPaths     []jsonHotPath      `json:"hot_paths"`
		HotFunctions []jsonHotFunction  `json:"hot_functions,omitempty"` // by their own time; last those with none
		Packages     []jsonPackage      `json:"packages"`
		Edges        jsonPrediction     `json:"edge_prediction"`
		MCDC         jsonMCDC           `json:"mcdc"`
		Prime        *jsonPrime         `json:"prime_paths,omitempty"` // after wrap -iterations 2
		Declined     []jsonDeclinedList `json:"declined"`
		Damaged      []profile.Damage   `json:"damaged,omitempty"` // what cannot be read
	}
	jsonCoverage struct {
		Functions  jsonShare `json:"functions"`
		Paths      jsonPaths `json:"paths"`
		Branches   jsonShare `json:"branches"`
		Conditions jsonShare `json:"conditions"` // outcomes: two of each condition
		Statements jsonShare `json:"statements"` // as go test -cover counts them
		Flow       int64     `json:"flow"`
		Abandoned  int64     `json:"abandoned"`
	}
	jsonShare struct {
		Executed int `json:"executed"`
		All      int `json:"all"`
	}
	jsonPaths struct {
		Executed int      `json:"executed"`
		All      *big.Int `json:"all"` // more than 64 bits, of large programs
	}
	jsonHotPath struct {
		Function string   `json:"function"`
		File     string   `json:"file"`
		ID       uint64   `json:"id,string"`
		Count    int64    `json:"count"`
		Samples  int64    `json:"samples,omitempty"`
		Branches int      `json:"branches"`
		Flow     int64    `json:"flow"`
		Time     int64    `json:"time_ns,omitempty"`
		Lines    []string `json:"lines"`         // "12", and "12:20" for blocks that are not the leftmost of their line
		Steps    []string `json:"steps"`         // what happens on it, in the words of the source
		Low      *int64   `json:"low,omitempty"` // if Count is an estimate, its 95% interval
		High     *int64   `json:"high,omitempty"`
		AtLeast  int64    `json:"at_least,omitempty"` // what was counted, if nothing tells how much more there is
	}
	jsonHole struct {
		Function string `json:"function"`
		File     string `json:"file"`
		Line     int    `json:"line"`
		Col      int    `json:"col"`
		Text     string `json:"text"`             // "" if there is no source
		Before   string `json:"before,omitempty"` // what of a longer condition is before the operand, and after it
		After    string `json:"after,omitempty"`
		Never    string `json:"never"` // "true", "false", "evaluated"
		Known    bool   `json:"known"` // it did not happen; or it was not seen in samples, and may have
		Other    int64  `json:"other"` // how often it was the other
	}
	jsonHotFunction struct {
		Name  string `json:"name"`
		Self  int64  `json:"self_ns"`
		Cum   int64  `json:"cum_ns"`
		Ticks int64  `json:"ticks"`           // that Cum rests on
		Calls *int64 `json:"calls,omitempty"` // if it is instrumented

		Each *jsonTime `json:"time_per_call,omitempty"` // Cum for each of Calls, if it is known how far off these may be
	}
	// A time in ns with its 95% interval.
	jsonTime struct {
		Estimate float64 `json:"estimate"`
		Low      float64 `json:"low"`
		High     float64 `json:"high"`
	}
	jsonPackage struct {
		Path      string             `json:"path"`
		Coverage  jsonCoverage       `json:"coverage"`
		Functions []jsonFunctionLine `json:"functions"`
	}
	jsonFunctionLine struct {
		Name     string       `json:"name"`
		File     string       `json:"file"`
		Line     int          `json:"line"`
		Entries  int64        `json:"entries"`
		Coverage jsonCoverage `json:"coverage"`
	}
	jsonPrediction struct {
		Right     int64               `json:"right"` // executions of paths that the most frequent edges lead along
		All       int64               `json:"all"`
		Functions []jsonMisprediction `json:"functions"` // whose hottest path edges do not tell
	}
	jsonMisprediction struct {
		Hottest   jsonHotPath `json:"hottest"`
		Predicted jsonHotPath `json:"predicted"` // count 0 and no id of its own if it was not executed
	}
	jsonDeclinedList struct {
		Reason    string             `json:"reason"`
		Functions []jsonDeclinedName `json:"functions"`
	}
	jsonDeclinedName struct {
		Name string `json:"name"`
		File string `json:"file"`
		Line int    `json:"line"`
	}
)

// JSONVersion is the version of the schema that the types above define: adding a field keeps it.
const JSONVersion = 2

// WriteJSON writes what [WriteText] says, for programs: of all packages and functions, and of the hottest top paths.
func WriteJSON(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	if err := show.WriteJSON(out, newJSONReport(p, top)); err != nil {
		return err
	}
	return out.Flush()
}

func newJSONReport(p *profile.Profile, top int) *jsonReport {
	texts := code.New(p)
	r := &jsonReport{
		Version: JSONVersion, Headline: about.Headline(p), Mode: p.Mode(), Program: about.Program(p),
		Runs: len(p.Runs), Total: newJSONCoverage(p.Coverage()),
		// Empty lists, not null.
		Warnings: append([]string{}, about.Warnings(p)...), Missing: []jsonHole{}, HotPaths: []jsonHotPath{},
		Packages: []jsonPackage{}, Declined: []jsonDeclinedList{},
	}
	if len(p.Runs) > 0 {
		start := p.Runs[0].Start.UTC()
		r.Start = &start
	}
	for _, h := range holes.All(p) {
		r.Missing = append(r.Missing, newJSONHole(&h, texts))
	}
	for _, h := range hot.Paths(p, top) {
		r.HotPaths = append(r.HotPaths, newJSONHotPath(texts, h.Function, h.Path))
	}
	for _, h := range hot.All(p) {
		line := jsonHotFunction{Name: h.Name, Self: h.Self, Cum: h.Cum, Ticks: h.Ticks}
		if h.Function != nil {
			line.Calls = &h.Calls
			if each := h.PerCall(); each != nil {
				line.Each = &jsonTime{each.Estimate, each.Low, each.High}
			}
		}
		r.HotFunctions = append(r.HotFunctions, line)
	}
	for _, pkg := range p.Packages {
		r.Packages = append(r.Packages, newJSONPackage(pkg))
	}
	r.Edges = newJSONPrediction(p, texts)
	r.MCDC, r.Prime = newJSONMCDC(p, texts), newJSONPrime(p, texts, top)
	for _, g := range about.DeclinedByReason(p) {
		list := jsonDeclinedList{Reason: g.Reason}
		for _, f := range g.Functions {
			list.Functions = append(list.Functions, jsonDeclinedName{f.Table.Name, f.Table.File, f.Table.Line})
		}
		r.Declined = append(r.Declined, list)
	}
	r.Damaged = p.Damaged
	return r
}

func newJSONCoverage(c profile.Coverage) jsonCoverage {
	return jsonCoverage{
		Functions:  jsonShare{c.FunctionsExecuted, c.Functions},
		Paths:      jsonPaths{c.PathsExecuted, c.Paths},
		Branches:   jsonShare{c.BranchesExecuted, c.Branches},
		Conditions: jsonShare{c.ConditionsExecuted, c.Conditions},
		Statements: jsonShare{c.StatementsExecuted, c.Statements},
		Flow:       c.Flow,
		Abandoned:  c.Abandoned,
	}
}

func newJSONHotPath(texts *code.Texts, f *profile.Function, p *profile.Path) jsonHotPath {
	j := jsonHotPath{
		Function: f.Table.Name, File: f.Table.File, ID: p.ID, Count: p.Count, Samples: p.Samples, Branches: p.Branches,
		Flow: p.Flow(), Time: p.Time, Lines: f.Steps(p), Steps: texts.Of(f).Path(p),
	}
	if e, ok := known.Estimate(f, p); ok && e.Open {
		j.AtLeast = e.Exact
	} else if ok && e.Low < e.High {
		j.Low, j.High = &e.Low, &e.High
	}
	return j
}

func newJSONHole(h *holes.Hole, texts *code.Texts) jsonHole {
	o := h.Operand(texts)
	return jsonHole{
		Function: h.Function.Table.Name, File: h.Function.Table.File, Line: o.Line, Col: o.Col, Text: o.Text, Before: o.Before, After: o.After,
		Never: h.Never, Known: h.Known(), Other: h.Other,
	}
}

func newJSONPackage(pkg *profile.Package) jsonPackage {
	j := jsonPackage{Path: pkg.Path, Coverage: newJSONCoverage(pkg.Coverage()), Functions: []jsonFunctionLine{}}
	for _, f := range pkg.Functions {
		if !f.Declined() {
			line := jsonFunctionLine{f.Table.Name, f.Table.File, f.Table.Line, f.Entries, newJSONCoverage(f.Coverage())}
			j.Functions = append(j.Functions, line)
		}
	}
	return j
}

func newJSONPrediction(p *profile.Profile, texts *code.Texts) jsonPrediction {
	j := jsonPrediction{Functions: []jsonMisprediction{}}
	j.Right, j.All = predict.Predicted(p)
	for _, m := range predict.Mispredictions(p) {
		hottest, predicted := newJSONHotPath(texts, m.Function, m.Hottest), newJSONHotPath(texts, m.Function, &m.Predicted)
		j.Functions = append(j.Functions, jsonMisprediction{hottest, predicted})
	}
	return j
}
