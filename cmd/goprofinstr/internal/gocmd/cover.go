package gocmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

// CoverFlags are the names of the flags that turn Go's own coverage on.
var CoverFlags = release.Flags(func(g *release.GoCommand) []string { return g.CoverFlags })

// Cover is what the -cover flags of a go test command ask for.
type Cover struct {
	On       bool
	Mode     string   // set, count or atomic; "" leaves it to the go command
	Patterns []string // of -coverpkg; none means the packages under test
	Profile  string   // file for the profile, relative to this process's directory; or ""
}

// Flags returns flags that ask for the same, without a file.
func (c Cover) Flags() (flags []string) {
	if !c.On {
		return nil
	}
	flags = []string{"-cover"}
	if c.Mode != "" {
		flags = append(flags, "-covermode="+c.Mode)
	}
	if len(c.Patterns) > 0 {
		flags = append(flags, "-coverpkg="+strings.Join(c.Patterns, ","))
	}
	return flags
}

// TakeCover takes the -cover flags off the command line and returns what they mean. As with the go
// command each of them turns coverage on, and the last one counts. outputdir is the value of that flag.
func (c *Command) TakeCover(outputdir string) (Cover, error) {
	var cover Cover
	for _, f := range c.Flags {
		switch f.Name {
		case "cover":
			on, err := strconv.ParseBool(f.Value)
			if err != nil {
				return Cover{}, fmt.Errorf("invalid boolean value %q for -cover: want true or false", f.Value)
			}
			cover.On = on
			continue
		case "covermode":
			if !slices.Contains([]string{"set", "count", "atomic"}, f.Value) {
				return Cover{}, fmt.Errorf(`invalid -covermode %q: valid modes are "set", "count" and "atomic"`, f.Value)
			}
			cover.Mode = f.Value
		case "coverpkg":
			cover.Patterns = strings.FieldsFunc(f.Value, func(r rune) bool { return r == ',' })
		case "coverprofile":
			cover.Profile = f.Value
		default:
			continue
		}
		cover.On = true
	}
	if c.Is("race") && cover.Mode != "" && cover.Mode != "atomic" {
		return Cover{}, fmt.Errorf(`-covermode must be "atomic", not %q, when -race is enabled`, cover.Mode)
	}
	if cover.Profile != "" && !filepath.IsAbs(cover.Profile) {
		if !filepath.IsAbs(outputdir) {
			outputdir = filepath.Join(c.Dir, outputdir)
		}
		cover.Profile = filepath.Join(outputdir, cover.Profile)
	}
	for _, name := range CoverFlags {
		c.Remove(name)
	}
	return cover, nil
}
