package show

import (
	"encoding/json"
	"io"
)

// WriteJSON writes v as JSON that people can read, too: indented, and with the characters that names have.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
