package show

// Word says in a line what a word of reports means, where nobody knows it from elsewhere. `goprofinstr help words` has
// the same lines. It is "" for other words.
func Word(name string) string { return words[name] }

var words = map[string]string{
	"flow":      "executions of a path × its branches: how much of what ran went that way",
	"run":       "the data of one process; go test starts one for each package",
	"abandoned": "calls that never returned: by panic, Goexit or the program's end",
	"declined":  "left as it was, not instrumented, for a reason that wrap -v gives",
	"edges say": "the path along the most frequent branches, as line profiles tell it",
}
