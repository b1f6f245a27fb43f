package target

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
)

// lineFile matches a line directive that names a file, with the name.
var lineFile = regexp.MustCompile(`^(?://line |/\*line )([^:\n]+?)(?::\d+){1,2}(?:\*/)?$`)

// mayNameFile matches what has to be looked at more closely.
var mayNameFile = regexp.MustCompile(`(?m)(?:^//line |/\*line )[^:\n]`)

// NameWhole makes relative names of files in line directives absolute: beneath dir, the folder of the source. The
// compiler of some releases takes them for relative to the file that it reads, which is a copy in another folder.
func NameWhole(src []byte, dir string) []byte {
	if !mayNameFile.Match(src) {
		return src
	}
	var out bytes.Buffer
	from := 0
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.COMMENT {
			continue
		}
		at := file.Offset(pos)
		m := lineFile.FindStringSubmatchIndex(text)
		atStart := at == 0 || src[at-1] == '\n'
		if m == nil || text[1] == '/' && !atStart || filepath.IsAbs(text[m[2]:m[3]]) {
			continue
		}
		out.Write(src[from : at+m[2]])
		out.WriteString(filepath.Join(dir, text[m[2]:m[3]]))
		from = at + m[3]
	}
	out.Write(src[from:])
	return out.Bytes()
}
