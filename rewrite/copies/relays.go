package copies

import rt "github.com/goprofinstr/goprofinstr/rt/copies"

// Relays are jumps that lead everywhere. A jump or a call in a copy leads to one where it does not reach by itself: on
// arm64, in programs with more than 128 MB from the text's beginning to the end of copies. Relays lie between copies, as often as
// they have to. Each stands for the instruction of the original that it leads to, or to whose copy.

// relays are those of a copier.
type relays struct {
	reach int64 // of jumps and calls, bytes
	begin int   // where the code begins that has no relays behind it yet
	far   []fixup
	put   []relay
}

// A relay is one that has been put.
type relay struct {
	at   int // in code
	to   uint64
	call bool // of a function, or of its copy
}

// LimitReach has jumps and calls reach less far than they do: this is for tests.
func (c *Copier) LimitReach(bytes int64) { c.relays.reach = min(c.relays.reach, bytes) }

// reaches reports whether a jump reaches.
func (c *Copier) reaches(from, to uint64) bool {
	d := int64(to) - int64(from)
	return d >= -c.relays.reach && d < c.relays.reach
}

// goes has a jump or a call, whose displacement is known by where it is, lead to an address in an original.
func (c *Copier) goes(at int, to uint64) {
	if !c.reaches(c.base+uint64(at), to) || c.arch.lead(c, at, to) != nil {
		c.relays.far = append(c.relays.far, fixup{at, to})
	}
}

// relaysInTime puts relays while the code that needs them still reaches them: the next function has room in front of them.
func (c *Copier) relaysInTime() error {
	if int64(len(c.code)-c.relays.begin) < c.relays.reach/4*3 {
		return nil
	}
	return c.putRelays(false)
}

// lastRelays leads all calls to where they are to lead to.
func (c *Copier) lastRelays() error {
	if err := c.putRelays(true); err != nil {
		return err
	}
	for _, s := range c.relays.put {
		to := s.to
		if entry, ok := c.entries[to]; ok && s.call {
			to = entry
		}
		code := c.code
		c.code = c.code[:s.at]
		c.arch.putRelay(c, to)
		c.code = code
	}
	return nil
}

// putRelays puts the relays for all code so far. Calls of functions that may still be copied have some, unless there will be no
// more copies.
func (c *Copier) putRelays(last bool) error {
	put := make(map[relay]int) // by what they lead to: where they are
	lead := func(f fixup, call bool) error {
		to := relay{to: f.to, call: call}
		at, ok := put[to]
		if !ok {
			at = len(c.code)
			put[to] = at
			c.origin(f.to, rt.Leading)
			c.arch.putRelay(c, f.to)
			c.relays.put = append(c.relays.put, relay{at, f.to, call})
		}
		return c.arch.lead(c, f.at, c.base+uint64(at))
	}
	for _, f := range c.relays.far {
		if err := lead(f, false); err != nil {
			return err
		}
	}
	for _, f := range c.calls {
		to, known := c.entries[f.to]
		if !known {
			to, known = f.to, last
		}
		if !known || !c.reaches(c.base+uint64(f.at), to) {
			if err := lead(f, true); err != nil {
				return err
			}
		} else if err := c.arch.lead(c, f.at, to); err != nil {
			return err
		}
	}
	c.calls, c.relays.far, c.relays.begin = nil, nil, len(c.code)
	if n := len(c.spans); n > 0 && len(put) > 0 {
		c.spans[n-1].to = len(c.code) // places have them with the function in front
	}
	return nil
}
