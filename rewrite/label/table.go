package label

import "path/filepath"

// A Table says what the labels of a package are.
type Table struct {
	Package string // as go list prints it: the import path, followed by " [p.test]" for test files of p
	Files   []File // in the order of the compilation
}

// A File has the labels of a source file.
type File struct {
	Name     string   // absolute
	Trimmed  string   // what it is called in a program that is built with -trimpath
	Also     []string `json:",omitempty"` // files that line directives of the user's name in it
	Declined string   // why it has none, or ""
	Labels   []Label  // by number: that of index k is k
}

// Names returns what parts of the file may be called in line tables, without labels.
func (f *File) Names() []string {
	names := []string{f.Name}
	if f.Trimmed != "" && f.Trimmed != f.Name {
		names = append(names, f.Trimmed)
	}
	for _, name := range f.Also {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(f.Name), name)
		}
		names = append(names, name)
	}
	return names
}

// A Label is a piece of a function's source.
type Label struct {
	Function string // without the package, as mark.Func.Untyped
	Kind     Kind
	From, To int // offsets in the original source; white space and comments may be at the end
}

// A Kind is of a label: what its piece is.
type Kind string

// The kinds. Pieces that are evaluated as a whole have the kind of where they stand.
const (
	Run      Kind = "run"      // statements without branches
	Return   Kind = "return"   // a return statement
	Jump     Kind = "jump"     // break, continue, goto or fallthrough
	If       Kind = "if"       // the keyword
	For      Kind = "for"      // the keyword
	Key      Kind = "key"      // what a range statement or a type switch assigns to
	Range    Kind = "range"    // the keyword, with the := or = before it
	Over     Kind = "over"     // what is ranged over
	Switch   Kind = "switch"   // the keyword
	Select   Kind = "select"   // the keyword
	Case     Kind = "case"     // the keyword, or default
	Tag      Kind = "tag"      // what a switch compares
	Value    Kind = "value"    // a value, type or condition of a case
	Comm     Kind = "comm"     // the send or receive of a case
	Init     Kind = "init"     // the first statement of an if, for or switch statement
	Cond     Kind = "cond"     // the condition of an if or for statement, or an operand in it
	Post     Kind = "post"     // the last statement in the head of a loop
	Operator Kind = "operator" // && or ||
	Token    Kind = "token"    // any other token of a statement with && or ||
	End      Kind = "end"      // the brace that ends a function
)
