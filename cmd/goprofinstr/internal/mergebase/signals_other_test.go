//go:build !unix

package mergebase

func await() int { return 3 }
