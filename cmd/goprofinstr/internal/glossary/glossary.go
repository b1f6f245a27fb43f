// Package glossary explains the words of reports: those that nobody knows from elsewhere in a line below each report
// that has them, and all of them in `goprofinstr help words`.
package glossary

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// A Word is a word, or a few, with what it means here.
type Word struct {
	Name string
	Text string // what help says, in lines

	in   *regexp.Regexp // a text with a footnote for the word; nil for words without one
	note string         // the footnote, a line
}

// Words are all words, those that others are explained by first.
var Words = []Word{
	{Name: "path", Text: `one way through a function: from its entry, or from the top of a loop, to a return, or to where the loop
goes round. A loop ends a path, so a path has no branch twice. Path coverage is the share of the paths
that can be taken; two ifs in a row have four, so 100% is for small functions.
Which paths are taken can differ between runs of the same tests, as with sync.Pool, maps and time.`},
	{Name: "branch", Text: "a way out of an if, a switch, a select or a loop's head. The files call branches edges."},
	{Name: "condition", Text: `what an if or for asks, each operand of && and ||, and each case of a switch. It has two outcomes, true
and false. Condition coverage is the share of outcomes that were seen.`},
	{Name: "decision", Text: "an expression of conditions with && and ||, in an if, a for, a case, or as a value."},
	{Name: "vector", Text: `the values that the conditions of a decision had in one evaluation: true·false·–. One that was not
evaluated is –, one that was and is not known ?.`},
	{Name: "MC/DC", Text: `modified condition/decision coverage: the share of the conditions in decisions that have been shown to
affect the outcome independently, by two vectors. By unique cause, nothing else differs in them; by masking, what differs
does not matter.`},
	{Name: "prime path", Text: `a way through a function without a block twice, but that it may end in the block where it begins, and part of
no longer one. Of a loop, one is to skip it, and others are to enter it, to go round once, to go round again, and to leave it.`},
	{Name: "statement", Text: "as go test -cover has it."},
	{Name: "flow", Text: `executions of a path × its branches. The flow of all paths is the number of branches that were taken,
and a path's share of it says how much of what ran is this path. It is no time: that is CPU time.`,
		in:   regexp.MustCompile(`\bflow\b`),
		note: show.Word("flow")},
	{Name: "run", Text: `the data of one process. go test starts one for each package, so a single go test ./... has many.`,
		in:   regexp.MustCompile(`\b\d[\d,]* runs?\b`),
		note: show.Word("run")},
	{Name: "abandoned", Text: `of the activation of a function, which is one call of it: not returned from, because of a panic,
runtime.Goexit or the end of the program. Its last path has no count; what was executed of it is in the counts of
branches and statements. An activation counts as returned if the panic comes in the operands of its return statement,
behind && and || in them, or in a deferred function.`,
		in:   regexp.MustCompile(`\babandoned\b`),
		note: show.Word("abandoned")},
	{Name: "declined", Text: `of a function: left as it was, not instrumented, for a reason that is given (wrap -v lists all). It is in
no number.`,
		in:   regexp.MustCompile(`(?i)\bdeclined\b`),
		note: show.Word("declined")},
	{Name: "edges say", Text: `the path that one gets to who takes the most frequent branch at each fork, which is what a profile
of lines or branches would call the hottest path. Reports name the functions in which another one is.`,
		in:   regexp.MustCompile(`\b[Ee]dges (say|tell)\b`),
		note: show.Word("edges say")},
	{Name: "infeasible", Text: `of a path: conditions on it contradict each other, so that nothing can execute it. check does not demand
it. Only contradictions that simple reasoning finds are known.`},
	{Name: "hot", Text: "with a large share of flow or, where it is known, of CPU time."},
	{Name: "exact, sampled, stratified", Text: `the modes of wrap. Exact counts all. Sampled counts what is rare, and estimates the rest from
samples, for 1% of the CPU time at most. Stratified counts functions with few paths, and estimates the others.`},
	{Name: "estimate", Text: `a number that was not counted but follows from samples. With 95 of 100 estimates the true number is
in the interval that is given. It has a ~ and the digits that are known. ≥ is before what was counted where that is not
all and too few samples tell of the rest, and ? is for what too few samples tell of: less than eight.`,
		in:   regexp.MustCompile(`~\d|≥\d|(^|\s)\?(\s|$)`),
		note: "~ from samples; ≥ counted, there may be more; ? too few samples"},
	{Name: "seen", Text: "of what is estimated: there is a sample. What was not seen may have been executed all the same."},
	{Name: "tick", Text: "the timer's signal, each 10 ms of CPU time, that starts a burst of samples."},
	{Name: "stratum", Text: "events with the same hash. Of each stratum, one in 256 events is a sample."},
	{Name: "calling context", Text: "the functions that called, from main to the one that is looked at: a stack."},
	{Name: "baseline", Text: "the earlier profile that check -baseline compares with."},
}

// Text is the page of all words.
func Text() string {
	var b strings.Builder
	b.WriteString("The words of reports, pages and files:\n")
	for _, w := range Words {
		fmt.Fprintf(&b, "\n%s: %s\n", w.Name, w.Text)
	}
	return b.String()
}

// A Style is how footnotes are written.
type Style struct{ before, format string }

// The styles: of text that goes on in lines, of reports as text, and in Markdown.
var (
	Lines    = Style{"", "%s: %s\n"}
	Report   = Style{"\n", "%s: %s\n"}
	Markdown = Style{"\n", "- *%s*: %s\n"}
)

// Explain writes what write does, and below it a line for each word in it that has a footnote.
func Explain(w io.Writer, s Style, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	notes := footnotes(text.String(), s)
	_, err := io.WriteString(w, text.String()+notes)
	return err
}

func footnotes(text string, s Style) string {
	text = none.ReplaceAllString(text, "")
	var notes strings.Builder
	for _, word := range Words {
		if word.in != nil && word.in.MatchString(text) {
			fmt.Fprintf(&notes, s.format, word.Name, word.note)
		}
	}
	if notes.Len() == 0 {
		return ""
	}
	return s.before + notes.String()
}

// none matches what need not be explained, for there is nothing of it.
var none = regexp.MustCompile(`\b0 declined\b`)
