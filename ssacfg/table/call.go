package table

// Callee is a function that is called, by the name that the linker has for it. Of the name of a generic function's code the
// type arguments are shapes, "F[go.shape.int]", where $0 stands for the first one of the caller.
type Callee struct {
	Package string `json:"P"` // import path
	Name    string `json:"N"`
}

// A Site is where a call is. Names are short because there are many: tables are a part of the program.
type Site struct {
	At      int `json:"a,omitempty"` // id of the block that it is in, or of the edge as -1-id
	Reached int `json:"r,omitempty"` // how many of the block's statement runs have been reached where it is
}

// Call is a call in a function.
type Call struct {
	Site
	Line   int `json:"l,omitempty"` // from the line where the function starts on; both as line directives have them
	Callee int `json:"c,omitempty"` // index in Package.Callees
	More   int `json:"m,omitempty"` // how many calls there are like this one, besides it
}
