//go:build unix

package follow

import (
	"fmt"
	"os"
	"slices"
	"syscall"
)

// open opens a run file that its directory's owner or this user has written, and no link to one.
func (o *Options) open(name string, dir os.FileInfo) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = o.check(name, info, dir)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (o *Options) check(name string, info, dir os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file, and no file that goprofinstr has written", name)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if owner := ownerOf(dir); int(s.Uid) != os.Geteuid() && s.Uid != owner && !slices.Contains(o.Owners, int(s.Uid)) {
		return fmt.Errorf("%s is of user %d: only files of the directory's owner, %d, and one's own are read (-owner)", name, s.Uid, owner)
	}
	if taken := s.Blocks * 512; taken > o.MaxRun {
		return fmt.Errorf("%s takes %d bytes on disk, and at most %d are read (-max-run)", name, taken, o.MaxRun)
	}
	return nil
}

func ownerOf(dir os.FileInfo) uint32 {
	if s, ok := dir.Sys().(*syscall.Stat_t); ok {
		return s.Uid
	}
	return uint32(os.Geteuid())
}
