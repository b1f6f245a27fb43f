// Package look has what all pages look like: their style sheet, and the script that they are complete without.
package look

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

// CSS is the style sheet.
//
//go:embed page.css
var CSS string

// JS is the script.
//
//go:embed page.js
var JS string

// Hash returns a source for a Content-Security-Policy: the hash of a script or style that is in the page.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
