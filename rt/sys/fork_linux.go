//go:build linux && (amd64 || arm64 || riscv64)

package sys

// WipedOnFork returns a word that is 0 in processes that fork makes, whatever it was. It returns nil if the system has no such
// memory.
//
//go:norace
func WipedOnFork() *uint32 {
	const size, wipeOnFork = Pad * 8, 18
	p, err := MmapPrivate(size)
	if err != 0 {
		return nil
	}
	if madvise(uintptr(p), size, wipeOnFork) != 0 {
		Munmap(p, size)
		return nil
	}
	return (*uint32)(p)
}

//go:norace
func madvise(addr uintptr, size U, advice uintptr) Errno {
	_, err := syscall6(sysMadvise, addr, uintptr(size), advice, 0, 0, 0)
	return err
}
