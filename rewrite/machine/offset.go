package machine

import "debug/dwarf"

// Offset returns where in a structure of package runtime a member is, in bytes. It is false if there is none.
func (im *Image) Offset(structure, member string) (int, bool) {
	r := im.dwarf.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return 0, false
		}
		if e.Tag == dwarf.TagSubprogram {
			r.SkipChildren()
			continue
		}
		if name, _ := e.Val(dwarf.AttrName).(string); e.Tag != dwarf.TagStructType || name != structure {
			continue
		}
		t, err := im.dwarf.Type(e.Offset)
		s, ok := t.(*dwarf.StructType)
		if err != nil || !ok {
			return 0, false
		}
		for _, f := range s.Field {
			if f.Name == member {
				return int(f.ByteOffset), true
			}
		}
		return 0, false
	}
}
