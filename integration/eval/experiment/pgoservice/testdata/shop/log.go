package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// access is a line of an access log.
var access = regexp.MustCompile(`^(\S+) \S+ (\S+) \[([^\]]+)\] "([A-Z]+) ([^ "]+)[^"]*" (\d{3}) (\d+)$`)

// A use is what requests of a path have been.
type use struct {
	Path   string         `json:"path"`
	Times  int            `json:"times"`
	Bytes  int64          `json:"bytes"`
	Status map[string]int `json:"status"`
}

// parseLog answers with the uses of paths in a log, the most frequent first.
func parseLog(body []byte) (any, error) {
	var request struct{ Lines []string }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	uses, bad := make(map[string]*use), 0
	for _, line := range request.Lines {
		parts := access.FindStringSubmatch(line)
		if parts == nil {
			bad++
			continue
		}
		path, _, _ := strings.Cut(parts[5], "?")
		u := uses[path]
		if u == nil {
			u = &use{Path: path, Status: make(map[string]int)}
			uses[path] = u
		}
		bytes, err := strconv.ParseInt(parts[7], 10, 64)
		if err != nil {
			return nil, err
		}
		u.Times, u.Bytes = u.Times+1, u.Bytes+bytes
		u.Status[parts[6][:1]+"xx"]++
	}
	list := slices.SortedFunc(maps.Values(uses), func(a, b *use) int {
		return cmp.Or(b.Times-a.Times, strings.Compare(a.Path, b.Path))
	})
	return map[string]any{"uses": list, "bad": bad}, nil
}
