//go:build unix

package profiledir

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
)

// openNoLink opens a file that is no link. A FIFO does not block.
func openNoLink(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, refused(name, errors.New("symbolic links are not followed"))
	}
	return f, err
}

func (t *Trust) check(info, dir os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file, and no file that goprofinstr has written")
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if !t.Anyone {
		if err := t.checkOwner(s.Uid, dir); err != nil {
			return err
		}
	}
	if taken := s.Blocks * 512; t.MaxRun > 0 && taken > t.MaxRun {
		return fmt.Errorf("it takes %d bytes on disk, and at most %d are read%s", taken, t.MaxRun, t.flag("-max-run"))
	}
	return nil
}

func (t *Trust) checkOwner(user uint32, dir os.FileInfo) error {
	owner := ownerOf(dir)
	if int(user) == os.Geteuid() || user == owner || slices.Contains(t.Owners, int(user)) {
		return nil
	}
	return fmt.Errorf("it is of user %d: only files of the directory's owner, %d, and one's own are read%s",
		user, owner, t.flag("-owner"))
}

// flag returns what an error says of the flag with which the file would be read.
func (t *Trust) flag(name string) string {
	if !t.Flags {
		return ""
	}
	return " (" + name + ")"
}

func ownerOf(dir os.FileInfo) uint32 {
	if s, ok := dir.Sys().(*syscall.Stat_t); ok {
		return s.Uid
	}
	return uint32(os.Geteuid())
}
