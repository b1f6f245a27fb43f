package coverage

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// WriteCodecov writes a report in Codecov's own JSON format. A line with branches is "1/2": how many were taken, of how many;
// Codecov calls it partial unless these are equal. Others have their count, of 32 bits at most.
func (r *Report) WriteCodecov(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "{\"coverage\": {")
	for i, f := range r.Files {
		name, err := json.Marshal(f.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n\t%s: {", comma(i), name)
		for j := range f.Lines {
			l := &f.Lines[j]
			fmt.Fprintf(out, "%s\n\t\t\"%d\": ", comma(j), l.Number)
			if taken, all := l.Branches(); all > 0 {
				fmt.Fprintf(out, "\"%d/%d\"", taken, all)
			} else {
				fmt.Fprintf(out, "%d", min(l.Count, math.MaxInt32))
			}
		}
		fmt.Fprint(out, "\n\t}")
	}
	fmt.Fprint(out, "\n}}\n")
	return out.Flush()
}

// comma returns what stands before an element of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
