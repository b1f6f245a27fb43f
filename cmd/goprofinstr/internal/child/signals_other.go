//go:build !unix

package child

import "os"

// Processes cannot be signalled here.

var ofUsers []os.Signal

func hasTerminal() bool { return true }
