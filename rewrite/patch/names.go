package patch

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/rewrite/restore"
)

// RestoreNames gives files their names back in an executable whose sources had labels, in place. A program without labels is
// left as it is. If anything is wrong, so is any other.
func RestoreNames(name string) (r restore.Report, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	restored, r, err := restore.Names(data)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if r == (restore.Report{}) {
		return r, nil
	}
	return r, Replace(name, restored)
}
