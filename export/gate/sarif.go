package gate

import (
	"io"
	"net/url"
	"path"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// What check writes of SARIF 2.1.0, the format of static analysis results that code hosts show on the lines.
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/)
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	URI   string      `json:"informationUri"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Text    sarifMessage `json:"shortDescription"`
	Full    sarifMessage `json:"fullDescription"`
	Help    sarifMessage `json:"help"` // required by GitHub
	HelpURI string       `json:"helpUri"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"` // without them the same result is a new one after each edit of the file
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

// home is where the project is described.
const home = "https://github.com/goprofinstr/goprofinstr"

// helps say what to do where something of a measure is missing.
var helps = map[Measure]string{
	Path: "No test takes this path through the function. Write one in which the conditions that are listed hold, in their order.",
	Branch: "No test takes this branch. Write one in which the conditions that are listed hold; " +
		"or remove what nothing can reach.",
	Condition: "No test has this condition so, true or false: as it is tested, it could as well be left out. " +
		"Write a test in which it decides; or remove it if it can never be otherwise.",
	Statement: "No test executes these statements. Write one in which the conditions that are listed hold; " +
		"or remove what nothing can reach.",
	MCDC: "No test shows that this condition affects the outcome of its decision by itself (MC/DC). Write one in which the " +
		"conditions of the decision have the values that are wanted; or remove the condition if it can never matter.",
	Prime: "No test takes this path, which is part of no longer one without a block twice. Write one in which the conditions that " +
		"are listed hold, in their order: a loop may have to be left at once, gone round once, or more often.",
}

// ignoring says how to do without a test.
const ignoring = " Code that need not be tested is marked with //goprofinstr:ignore and a reason."

func newRule(m Measure) sarifRule {
	return sarifRule{
		ID: string(m), Text: sarifMessage{"Coverage of " + plurals[m]},
		Full:    sarifMessage{"What goprofinstr check demands of the coverage of " + plurals[m] + " is not met."},
		Help:    sarifMessage{helps[m] + ignoring},
		HelpURI: home + "#in-continuous-integration",
	}
}

// WriteSARIF writes what is missing as SARIF. Files are given beneath prefix.
func WriteSARIF(w io.Writer, r *Result, prefix string) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "goprofinstr", URI: home}},
		Results: []sarifResult{},
	}
	index := make(map[Measure]int)
	for i, m := range Measures {
		index[m] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newRule(m))
	}
	for _, m := range r.Missing {
		uri := url.URL{Path: path.Join(prefix, m.Function.Table.File)}
		run.Results = append(run.Results, sarifResult{
			RuleID: string(m.Measure), RuleIndex: index[m.Measure], Level: "error",
			Message:      sarifMessage{"Not covered: " + annotation(m)},
			Locations:    []sarifLocation{{sarifPhysical{sarifArtifact{uri.String()}, sarifRegion{max(m.Line, 1), m.Col}}}},
			Fingerprints: map[string]string{"missing/v1": string(m.Measure) + " " + m.Function.Table.Name + " " + m.What},
		})
	}
	return show.WriteJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
