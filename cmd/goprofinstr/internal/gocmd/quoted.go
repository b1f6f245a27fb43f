package gocmd

import (
	"fmt"
	"strings"
)

// SplitQuoted splits s at white space, as cmd/internal/quoted.Split does: words may be in single or double quotes,
// without escapes.
func SplitQuoted(s string) (words []string, err error) {
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

// JoinQuoted is the inverse of SplitQuoted. It fails for words with both kinds of quotes in them.
func JoinQuoted(words []string) (string, error) {
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
