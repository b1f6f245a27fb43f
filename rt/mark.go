package rt

// Mark returns what the mark of an activation holds at first, by the file of the function, of which only the base name counts, and the line that it
// begins on: a number that an instruction can have in it, and which the stack has nowhere else but by chance.
//
//go:norace
func Mark(file string, line U) U {
	base := 0
	for i := range len(file) {
		if file[i] == '/' {
			base = i + 1
		}
	}
	hash := uint32(2166136261) // FNV-1a
	for _, c := range []byte(file[base:]) {
		hash = (hash ^ uint32(c)) * 16777619
	}
	hash ^= uint32(line) * 0x9e37_79b9
	return U(hash&(1<<30-1) | 1<<30)
}
