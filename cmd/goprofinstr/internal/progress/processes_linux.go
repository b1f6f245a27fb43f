package progress

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// processes returns those that the user may see.
func processes() (all []process) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		var p process
		var state string
		end := bytes.LastIndexByte(data, ')') // of the name, which may have any characters
		if _, err := fmt.Sscan(string(data), &p.pid); err != nil || end < 0 {
			continue
		}
		if _, err := fmt.Sscan(string(data[end+1:]), &state, &p.parent); err != nil {
			continue
		}
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		p.args = strings.Split(string(bytes.TrimSuffix(args, []byte{0})), "\x00")
		all = append(all, p)
	}
	return all
}
