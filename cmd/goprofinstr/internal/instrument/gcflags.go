package instrument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
)

// gcflags are the user's -gcflags. Of several that match a package the go command takes the last alone; so
// ours have to come last, and repeat the user's.
type gcflags []gcflag

type gcflag struct {
	value string                    // as it stands on the command line, "" for one in GOFLAGS
	match func(*listedPackage) bool // nil for the packages named on the command line
	flags []string
}

// userGCFlags returns the -gcflags in GOFLAGS and on the command line, in this order, which is that of the go command.
func userGCFlags(c *gocmd.Command, tc *Toolchain) (gcflags, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	inVariable, given, err := packageFlags(c, tc, "gcflags")
	if err != nil {
		return nil, err
	}
	var all gcflags
	for i, value := range slices.Concat(inVariable, given) {
		f, err := parseGCFlag(value, dir)
		if err != nil {
			return nil, err
		}
		if i >= len(inVariable) {
			f.value = "-gcflags=" + value
		}
		all = append(all, f)
	}
	return all, nil
}

// packageFlags returns the values of a flag of the go command that packages can have values of their own of: those in GOFLAGS, and those on the command line. Of
// several that match a package the go command takes the last.
func packageFlags(c *gocmd.Command, tc *Toolchain, name string) (inVariable, given []string, err error) {
	words, err := splitQuoted(tc.GOFLAGS)
	if err != nil {
		return nil, nil, fmt.Errorf("GOFLAGS: %v", err)
	}
	for _, word := range words {
		if value, ok := strings.CutPrefix(strings.TrimLeft(word, "-"), name+"="); ok {
			inVariable = append(inVariable, value)
		}
	}
	for _, flag := range c.Flags {
		if flag.Name == name {
			given = append(given, flag.Value)
		}
	}
	return inVariable, given, nil
}

// parseGCFlag takes [PATTERN=]FLAGS apart as cmd/go/internal/load.PerPackageFlag does.
func parseGCFlag(value, dir string) (f gcflag, err error) {
	flags := strings.TrimSpace(value)
	if flags != "" && flags[0] != '-' {
		pattern, rest, ok := strings.Cut(flags, "=")
		if !ok || pattern == "" {
			return f, fmt.Errorf("-gcflags=%s: want [PATTERN=]FLAGS", value)
		}
		f.match, flags = coverPattern(strings.TrimSpace(pattern), dir), rest
	}
	if f.flags, err = splitQuoted(flags); err != nil {
		return f, fmt.Errorf("-gcflags=%s: %v", value, err)
	}
	return f, nil
}

// of returns the flags for p. named reports that p is named on the command line.
func (all gcflags) of(p *packages.Package, named bool) []string {
	listed := &listedPackage{ImportPath: p.PkgPath, Name: p.Name, Dir: p.Dir, Standard: p.Module == nil && p.PkgPath != filesPackage}
	if p.Module != nil {
		listed.Module = &struct{ Main bool }{p.Module.Main}
	}
	var flags []string
	for _, f := range all {
		if f.match == nil && named || f.match != nil && f.match(listed) {
			flags = f.flags
		}
	}
	return flags
}

// onCommandLine returns those that stand on the command line, as words of it.
func (all gcflags) onCommandLine() []string {
	var words []string
	for _, f := range all {
		if f.value != "" {
			words = append(words, f.value)
		}
	}
	return words
}

// splitQuoted splits s at white space, as cmd/internal/quoted.Split does: words may be in single or double quotes, without escapes.
func splitQuoted(s string) (words []string, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if quote := s[0]; quote == '\'' || quote == '"' {
			end := strings.IndexByte(s[1:], quote)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c string", quote)
			}
			words, s = append(words, s[1:1+end]), s[end+2:]
			continue
		}
		end := strings.IndexAny(s, " \t\r\n")
		if end < 0 {
			end = len(s)
		}
		words, s = append(words, s[:end]), s[end:]
	}
	return words, nil
}

// joinQuoted is the inverse of splitQuoted. It fails for words with both kinds of quotes in them.
func joinQuoted(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\r\n'\""):
			quoted[i] = w
		case !strings.Contains(w, "'"):
			quoted[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			quoted[i] = `"` + w + `"`
		default:
			return "", fmt.Errorf("%s: both kinds of quotes in one word", w)
		}
	}
	return strings.Join(quoted, " "), nil
}
