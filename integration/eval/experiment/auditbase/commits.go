package auditbase

import (
	"fmt"
	"math"
	"strings"
)

// A target is a function that commits change.
type target struct {
	name    string // as audits call it
	begins  string // with which its body begins
	depends string // a statement by which its input depends on a number that is 0
}

var targets = []target{
	{"Get", "func Get(json, path string) Result {", "json = json[%s:]"},
	{"Result.ForEach", "func (t Result) ForEach(iterator func(key, value Result) bool) {", "t.Raw = t.Raw[%s:]"},
	{"Result.arrayOrMap", "func (t Result) arrayOrMap(vc byte, valueize bool) (r arrayOrMapResult) {", "t.Raw = t.Raw[%s:]"},
	{"validpayload", "func validpayload(data []byte, i int) (outi int, ok bool) {", "i += %s"},
	{"AppendJSONString", "func AppendJSONString(dst []byte, s string) []byte {", "s = s[%s:]"},
}

// A commit changes one function.
type commit struct {
	of         *target
	name       string
	base, head string  // what the body begins with, besides
	known      float64 // how much longer the function takes then, in percent; 0 for equal ones
}

// percents are the known changes. Each function is made slower by two of them, and faster by the next two.
var percents = []float64{2, 3, 5, 10, 20}

// knownCommits returns commits with more or less work, by the least times of a calibration in ns.
func knownCommits(least map[string]float64) (list []commit, err error) {
	for i := range targets {
		t := &targets[i]
		for j := range 4 {
			percent := percents[(i+j)%len(percents)]
			step := (least["spin 1000"] - least["spin 0"]) / 1000
			n := math.Round((percent/100*least[t.name] - least["spin 0"]) / step)
			if n < 1 || math.IsNaN(n) {
				return nil, fmt.Errorf("%g%% of %s, %g ns, is less than the call of a chain", percent, t.name, least[t.name])
			}
			work := fmt.Sprintf(t.depends, fmt.Sprintf("evalSpin(%g)", n))
			c := commit{of: t, name: fmt.Sprintf("%s %g%% slower", t.name, percent), head: work, known: percent}
			if j >= 2 {
				c = commit{of: t, name: fmt.Sprintf("%s %g%% faster", t.name, percent), base: work, known: 100 * (1/(1+percent/100) - 1)}
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// equalities are changes that take no time: what a body begins with at the base and at the head. The compiler sees the first two
// as they were, and so does audit -base; the code of the last two is another one.
var equalities = []struct{ name, base, head string }{
	{"comment", "", "// nothing else\n"},
	{"name of a local", "evalX := 1; _ = evalX", "evalY := 1; _ = evalY"},
	{"statement without effect", "", "_ = 0"},
	{"variable", "", "var evalX int; _ = evalX"},
	{"code that is not reached", "", "if false { println() }"},
	{"order of statements", "evalX := evalZero; evalY := evalNever; _, _ = evalX, evalY", "evalY := evalNever; evalX := evalZero; _, _ = evalX, evalY"},
	{"branch that is not taken", "", "if evalNever { evalZero++ }"},
	{"branch turned round", "if !evalNever { } else { evalZero++ }", "if evalNever { evalZero++ }"},
}

func equalCommits() (list []commit) {
	for i := range targets {
		for _, e := range equalities {
			list = append(list, commit{of: &targets[i], name: targets[i].name + " " + e.name, base: e.base, head: e.head})
		}
	}
	return list
}

// edit returns a source in which the body of a function begins with something else.
func (t *target) edit(source, begin string) (string, error) {
	if strings.Count(source, t.begins) != 1 {
		return "", fmt.Errorf("gjson.go: there is no %s, or several", t.begins)
	}
	if begin == "" {
		return source, nil
	}
	return strings.Replace(source, t.begins, t.begins+"\n\t"+begin+"\n", 1), nil
}
