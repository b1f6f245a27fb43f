package auditwatch

import "slices"

// copies say which of the functions that a dispatcher calls are copies of the same version: those of the same name.
type copies struct {
	names []string // of versions, in the order of their first copies
	of    []place  // by the number that the program has for a function
}

// A place is a copy of a version.
type place struct{ version, copy int }

// copiesOf returns the copies among functions of these names.
func copiesOf(names []string) (c copies) {
	for i, name := range names {
		p := place{version: slices.Index(c.names, name)}
		if p.version < 0 {
			p.version, c.names = len(c.names), append(c.names, name)
		}
		for _, before := range c.of[:i] {
			if before.version == p.version {
				p.copy++
			}
		}
		c.of = append(c.of, p)
	}
	return c
}

// number returns how many copies each version has.
func (c *copies) number() int {
	if len(c.names) == 0 {
		return 0
	}
	return len(c.of) / len(c.names)
}

// first returns the number that the program has for the first copy of a version.
func (c *copies) first(version int) int { return slices.Index(c.of, place{version: version}) }
