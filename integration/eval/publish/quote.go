package publish

import (
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/markdown"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// fill returns a document with the numbers that it quotes as the reports have them.
func (f *files) fill(name, text string) (string, error) {
	var problems []error
	for _, d := range markdown.Definitions(text) {
		file, anchor, _ := strings.Cut(d.To, "#")
		experiment, ok := strings.CutPrefix(path.Join(path.Dir(name), file), Folder)
		if !ok || d.Title == "" {
			continue
		}
		v, err := f.value(strings.TrimSuffix(experiment, ".md"), anchor, d.Title)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: [%s]: %v", name, d.Name, err))
			continue
		}
		text = markdown.ReplaceTexts(text, d.Name, func(old string) string {
			s, err := format(v, old)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: [%s]: %v", name, d.Name, err))
				return old
			}
			return s
		})
	}
	return text, errors.Join(problems...)
}

// value returns a value of an experiment by the anchor of its table and the address there.
func (f *files) value(experiment, anchor, address string) (float64, error) {
	r := f.reports[experiment]
	if r == nil {
		return 0, fmt.Errorf("there is no %s%s.json", Folder, experiment)
	}
	headings := []string{Find(experiment).Title}
	for _, m := range r.Measures {
		headings = append(headings, m.Title)
	}
	i := slices.Index(markdown.Anchors(headings), anchor)
	if i < 1 {
		return 0, fmt.Errorf("%s has no table #%s", experiment, anchor)
	}
	return r.Measures[i-1].At(address)
}

var number = regexp.MustCompile(`^-?[\d,]+(\.\d+)?$`)

// format returns a value with as many decimals as some other text has.
func format(v float64, like string) (string, error) {
	if !number.MatchString(like) {
		return "", fmt.Errorf("%q is no number; it has as many decimals as are to be shown", like)
	}
	if _, decimals, ok := strings.Cut(like, "."); ok {
		return strconv.FormatFloat(v, 'f', len(decimals), 64), nil
	}
	return show.Grouped(int64(math.Round(v))), nil
}
