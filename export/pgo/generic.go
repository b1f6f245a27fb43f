package pgo

import (
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// instantiate returns what is called where a caller with the given type arguments calls f.
func instantiate(f table.Callee, args string) table.Callee {
	if args == "" || !strings.Contains(f.Name, "$") {
		return f
	}
	own := typeArgs(args)
	_, calleeArgs := generic(f)
	list := typeArgs(calleeArgs)
	for i, arg := range list {
		if n, err := strconv.Atoi(strings.TrimPrefix(arg, "$")); err == nil && n < len(own) {
			list[i] = own[n]
		}
	}
	f.Name = strings.Replace(f.Name, calleeArgs, "["+strings.Join(list, ",")+"]", 1)
	return f
}

// generic returns the generic function that f is an instance of, and its type arguments in brackets; if it is none, f
// and "".
func generic(f table.Callee) (of table.Callee, args string) {
	from := strings.IndexByte(f.Name, '[')
	if from < 0 {
		return f, ""
	}
	depth := 0
	for i := from; i < len(f.Name); i++ {
		switch f.Name[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return table.Callee{Package: f.Package, Name: f.Name[:from] + "[...]" + f.Name[i+1:]}, f.Name[from : i+1]
		}
	}
	return f, ""
}

// typeArgs takes type arguments in brackets apart.
func typeArgs(args string) (list []string) {
	depth, from := 0, 1
	for i, c := range args {
		switch c {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		}
		if c == ',' && depth == 1 || depth == 0 && i > 0 {
			list = append(list, args[from:i])
			from = i + 1
		}
	}
	return list
}
