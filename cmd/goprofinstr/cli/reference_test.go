package cli

import (
	"strings"
	"testing"
)

// TestFlagsDescribed looks for flags of which help says nothing, or which it could not show.
func TestFlagsDescribed(t *testing.T) {
	for _, c := range commands {
		table := c.flags()
		fs := table.Set(c.name) // panics if a name is there twice
		for _, f := range table.Flags {
			texts := f.Usage
			for _, choice := range f.Choices {
				if choice.Usage == "" {
					t.Errorf("%s: -%s %s is not described", c.name, f.Name, choice.Value)
				}
				texts += choice.Usage
			}
			if texts == "" {
				t.Errorf("%s: -%s is not described", c.name, f.Name)
			}
			if f.Only != nil && fs.Lookup(f.Only.Flag) == nil {
				t.Errorf("%s: -%s is for values of -%s, which there is not", c.name, f.Name, f.Only.Flag)
			}
			if !strings.Contains(c.usage(), "\n\t-"+f.Name) {
				t.Errorf("%s: help does not show -%s", c.name, f.Name)
			}
		}
	}
}
