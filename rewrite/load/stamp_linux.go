package load

import (
	"io/fs"
	"syscall"
)

func stampOf(name string, info fs.FileInfo) stamp {
	s := stamp{Name: name, Mode: info.Mode(), Size: info.Size(), Written: info.ModTime().UnixNano()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Changed, s.Inode = stat.Ctim.Nano(), stat.Ino
	}
	return s
}
