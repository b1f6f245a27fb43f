package machine

import "sync"

// A room has the instructions of functions that are needed for a short time. Memory that is new to the process takes about as
// long as the decoding does. So what one function had the next one gets.
type room struct {
	mu   sync.Mutex
	free []*shelf // empty
}

// A shelf is a part of a room, some 40 kB.
type shelf [128]Inst

// DecodeBriefly decodes f as Decode does, until Leave is called for f.
func (im *Image) DecodeBriefly(f *Function) error {
	g := newBuilder(im, f)
	g.brief = true
	err := g.build()
	if err != nil {
		im.Leave(f)
	}
	return err
}

// Leave gives back the instructions of a function that DecodeBriefly has decoded. Nothing may refer to any of them any more.
func (im *Image) Leave(f *Function) {
	for k, s := range f.shelves {
		used := len(f.Insts) - k*len(s) + 1 // one may not be an instruction of f
		clear(s[:min(used, len(s))])
	}
	im.room.mu.Lock()
	defer im.room.mu.Unlock()
	im.room.free = append(im.room.free, f.shelves...)
	f.Insts, f.Blocks, f.shelves = nil, nil, nil
}

// shelf returns an empty one.
func (r *room) shelf() *shelf {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free)
	if n == 0 {
		return new(shelf)
	}
	s := r.free[n-1]
	r.free = r.free[:n-1]
	return s
}

// inst returns room for the next instruction.
func (g *builder) inst() *Inst {
	if !g.brief {
		return new(Inst)
	}
	at := len(g.f.Insts) % len(shelf{})
	if at == 0 {
		g.f.shelves = append(g.f.shelves, g.im.room.shelf())
	}
	return &g.f.shelves[len(g.f.shelves)-1][at]
}
