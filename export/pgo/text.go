package pgo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Text says in a few lines what a profile is made of. They go into the profile, and so there is nothing in them that is
// another thing the next time, and no names of hosts.
func (r *Result) Text() (lines []string) {
	from := fmt.Sprintf("%s, %s", show.Plural(r.Builds, "build"), show.Plural(r.Runs, "run"))
	if r.Hosts > 0 {
		from += ", " + show.Plural(r.Hosts, "host")
	}
	const day = "2006-01-02"
	first, last := r.First.UTC().Format(day), r.Last.UTC().Format(day)
	if from += ", started on " + first; first != last {
		from += " to " + last
	}
	lines = append(lines, from)
	if text := r.services(); text != "" {
		lines = append(lines, text)
	}
	lines = append(lines, fmt.Sprintf("calls by weight: %s found by line, %s by matching, %s lost",
		r.percent(r.ByLine), r.percent(r.ByMatch), r.percent(r.Lost)))
	if text := r.lost(); text != "" {
		lines = append(lines, text)
	}
	if r.CPU != nil {
		lines = append(lines, r.CPU.text())
	}
	return lines
}

// percent returns a share of the weight of all calls, which is 0% or 100% only if it is none or all.
func (r *Result) percent(weight float64) string { return percent(weight / r.total()) }

func percent(share float64) string {
	switch text := fmt.Sprintf("%.2f%%", 100*share); {
	case share > 0 && text == "0.00%":
		return "<0.01%"
	case share < 1 && text == "100.00%":
		return ">99.99%"
	default:
		return strings.Replace(text, ".00%", "%", 1)
	}
}

// services says which services there are, if runs have said that.
func (r *Result) services() string {
	var words []string
	for _, s := range r.Services {
		name := cmp.Or(s.Name, "none")
		if s.Name == "" && len(r.Services) == 1 {
			return ""
		}
		text := fmt.Sprintf("%s (%s", name, show.Plural(s.Runs, "run"))
		if s.Weight != 1 {
			text += fmt.Sprintf(", × %v", s.Weight)
		}
		words = append(words, text+")")
	}
	return show.Printable("services: " + strings.Join(words, ", "))
}

// mostLost is how many functions are named that lost calls, and leastLost the share of the weight that is worth a word.
const (
	mostLost  = 3
	leastLost = 0.001
)

// lost says where most of the lost calls were.
func (r *Result) lost() string {
	var words []string
	for _, f := range r.LostIn[:min(mostLost, len(r.LostIn))] {
		if f.Weight >= leastLost*r.total() {
			words = append(words, fmt.Sprintf("%s %s", f.Function, r.percent(f.Weight)))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return show.Printable("lost, for the most part: " + strings.Join(words, ", "))
}

// most returns functions by the weight that they have lost.
func most(weights map[string]float64) (list []LostIn) {
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		list = append(list, LostIn{name, weights[name]})
	}
	slices.SortStableFunc(list, func(a, b LostIn) int { return cmp.Compare(b.Weight, a.Weight) })
	return list
}

func (c *CPU) text() string {
	from, unit, units := "CPU profile", "a sample", 1.0
	if c.Contexts {
		from, unit, units = "calling contexts of sampled runs", "a millisecond", 1e6
	}
	return fmt.Sprintf("%s: %s that counts do not tell; %s weighs as %.3g executions, so that what is hot in either is hot in both",
		from, show.Plural(c.Edges, "edge"), unit, units*c.Factor)
}
