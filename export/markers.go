package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// MarkersVersion is the version of the schema that the types below define. Adding a field keeps it.
const MarkersVersion = 1

// What WriteMarkers writes.
type (
	markersFile struct {
		Version  int              `json:"version"`
		Programs []markersProgram `json:"programs"`
	}
	markersProgram struct {
		Name      string            `json:"name"` // of the executable
		Functions []markersFunction `json:"functions"`
	}
	// A function of the source that has loops.
	markersFunction struct {
		Name    string        `json:"name"`
		Package string        `json:"package"`
		File    string        `json:"file"`
		Line    int           `json:"line"`
		Loops   []markersLoop `json:"loops"`
	}
	markersLoop struct {
		Line   int           `json:"line"` // of the header
		Col    int           `json:"col"`
		Block  int           `json:"block"` // header, as in the format json
		Count  int64         `json:"count"` // how often the copies came back to it
		Copies []markersCopy `json:"copies"`
	}
	// A copy of a loop in the executable: its markers in one chain of inlined calls.
	markersCopy struct {
		Symbol  string        `json:"symbol"`  // function of the executable that it is in; "" if that is not known
		Inlined []string      `json:"inlined"` // calls by which it came there, innermost first, "example.com/m.F:12"; none in the function itself
		Count   int64         `json:"count"`
		Samples int64         `json:"samples"`
		Sites   []markersSite `json:"sites"`
	}
	// A marker's place in the executable.
	markersSite struct {
		Address string `json:"address"` // "0x49f3c0"
		Line    int    `json:"line"`    // that the executable's tables have for it; 0 if it is not known
		Edges   []int  `json:"edges"`   // back edges that it stands for, as in the format json: one, if that is known
		Count   int64  `json:"count"`
		Samples int64  `json:"samples"`
	}
)

var errNoSites = errors.New("no program in this profile has native probes, whose markers tell where loops are: wrap -mode sampled -backend native")

// WriteMarkers writes as JSON where in the executables the loops of all functions are, and how often each copy ran:
// AUDIT section 8.
//
// A copy is what has the same chain of inlined calls. Some copies are not told apart. They are those of two calls on
// one line, and what the compiler has made two of in one function: these have several sites. In loops that a path
// ends in the middle of, for there would be too many, only what ends at the back edge counts.
func WriteMarkers(w io.Writer, p *profile.Profile) error {
	programs, err := findMarkers(p)
	if err != nil {
		return err
	}
	return show.WriteJSON(w, markersFile{MarkersVersion, programs})
}

// WriteMarkersText writes the same as text to read, without loops of which there is no copy.
func WriteMarkersText(w io.Writer, p *profile.Profile) error {
	programs, err := findMarkers(p)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, program := range programs {
		fmt.Fprintf(out, "%s: loops, their copies, and how often each went round\n", show.Printable(program.Name))
		for _, f := range program.Functions {
			for _, loop := range f.Loops {
				if len(loop.Copies) > 0 {
					fmt.Fprintf(out, "\n%s  %s:%d:%d\n", show.Printable(f.Name), show.Printable(f.File), loop.Line, loop.Col)
				}
				for _, c := range loop.Copies {
					fmt.Fprintf(out, "%15s  %s\n", show.Count(c.Count), show.Printable(c.String()))
				}
			}
		}
	}
	return out.Flush()
}

// String returns where a copy is: "in main.main, inlined at main.f:12 ← main.main:30: 0x49f3c0".
func (c *markersCopy) String() string {
	var b strings.Builder
	switch {
	case c.Symbol == "":
		b.WriteString("in a function that is not known")
	case len(c.Inlined) == 0:
		b.WriteString("in the function itself")
	default:
		fmt.Fprintf(&b, "in %s, inlined at %s", c.Symbol, strings.Join(c.Inlined, " ← "))
	}
	for i, s := range c.Sites {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		b.WriteString(sep + s.Address)
	}
	return b.String()
}

// findMarkers returns the loops of each program.
func findMarkers(p *profile.Profile) ([]markersProgram, error) {
	if len(p.Programs) == 0 {
		return nil, errNoSites
	}
	known := stacks.New(p)
	var list []markersProgram
	for _, program := range p.Programs {
		sites := make(map[*profile.Function][]profile.Site)
		for _, s := range program.Sites {
			sites[s.Function] = append(sites[s.Function], s)
		}
		out := markersProgram{Name: program.Name, Functions: []markersFunction{}}
		for _, f := range p.Functions() {
			if f.Declined() {
				continue
			}
			if loops := f.Loops(); len(loops) > 0 {
				out.Functions = append(out.Functions, markersOf(known, f, loops, sites[f]))
			}
		}
		list = append(list, out)
	}
	return list, nil
}

// markersOf returns the loops of a function with their copies, of which there are the sites.
func markersOf(k *stacks.Stacks, f *profile.Function, loops []profile.Loop, sites []profile.Site) markersFunction {
	out := markersFunction{Name: f.Table.Name, Package: f.Package, File: f.Table.File, Line: f.Table.Line}
	for _, loop := range loops {
		header := f.Table.Blocks[loop.Header]
		m := markersLoop{Line: header.Line, Col: header.Col, Block: loop.Header, Copies: []markersCopy{}}
		for _, s := range sites {
			edges := slices.DeleteFunc(slices.Clone(s.Ends), func(e int) bool { return !slices.Contains(loop.Back, e) })
			if len(edges) > 0 {
				m.add(k, &s, edges)
			}
		}
		out.Loops = append(out.Loops, m)
	}
	return out
}

// add adds a site that stands for back edges of the loop.
func (m *markersLoop) add(k *stacks.Stacks, s *profile.Site, edges []int) {
	c := markersCopy{Inlined: []string{}}
	line := 0
	if len(s.Frames) > 0 {
		c.Symbol = s.Frames[len(s.Frames)-1].Name
		own := k.Within(s.Function, s.Frames)
		if own > 0 {
			line = int(s.Frames[own-1].Line)
		}
		for _, frame := range s.Frames[own:] {
			c.Inlined = append(c.Inlined, fmt.Sprintf("%s:%d", k.Name(frame), frame.Line))
		}
	}
	i := slices.IndexFunc(m.Copies, func(o markersCopy) bool { return o.Symbol == c.Symbol && slices.Equal(o.Inlined, c.Inlined) })
	if i < 0 {
		i = len(m.Copies)
		m.Copies = append(m.Copies, c)
	}
	known := &m.Copies[i]
	known.Sites = append(known.Sites, markersSite{fmt.Sprintf("%#x", s.Address), line, edges, s.Count, s.Samples})
	known.Count += s.Count
	known.Samples += s.Samples
	m.Count += s.Count
}
