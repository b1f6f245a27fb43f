package target

import (
	"maps"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt"
)

// mappingHooks is a file for package runtime/pprof, whose profiles say what is mapped where: that of native probes is to be the program itself.
var mappingHooks = rt.Patch("native/pprof.go.txt")

const mappingsFile = "goprofinstr_mappings.go"

// mappingCalls are its calls.
var mappingCalls = []call{
	{"proto_other.go", "\tparseProcSelfMaps(data, b.addMapping)", "; b.goprofinstr_mappings()"},
}

// addMappings adds files of package runtime/pprof to those of package runtime, if it is as expected.
func addMappings(tc Toolchain, files map[string][]byte, source func(name string) ([]byte, error)) map[string][]byte {
	if tc.GOOS != "linux" || tc.GOARCH != "amd64" {
		return files
	}
	dir := filepath.Join(tc.GOROOT, "src", "runtime", "pprof")
	all := maps.Clone(files)
	all[filepath.Join(dir, mappingsFile)] = mappingHooks
	if all = insert(dir, all, mappingCalls, source); all == nil {
		return files
	}
	return all
}
