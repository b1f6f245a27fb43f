package copies

// used keeps the linker from leaving descriptors out.
var used *Package

// UsePackage has a package be known. It returns 0.
//
//go:noinline
func UsePackage(p *Package) U {
	used = p
	return 0
}
