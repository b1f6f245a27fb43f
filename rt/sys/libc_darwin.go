package sys

import _ "unsafe" // for go:cgo_import_dynamic

// Functions of libSystem: libc_darwin.s has the addresses of jumps to them.

//go:cgo_import_dynamic libc_open open "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_read read "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_pread pread "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_pwrite pwrite "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_writev writev "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_close close "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_fcntl fcntl "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_mmap mmap "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_munmap munmap "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_mkdir mkdir "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_unlink unlink "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_getpid getpid "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_getppid getppid "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_issetugid issetugid "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_pthread_sigmask pthread_sigmask "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_clock_gettime clock_gettime "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_proc_pidpath proc_pidpath "/usr/lib/libSystem.B.dylib"

var (
	openAddress      uintptr
	readAddress      uintptr
	preadAddress     uintptr
	pwriteAddress    uintptr
	writevAddress    uintptr
	closeAddress     uintptr
	fcntlAddress     uintptr
	mmapAddress      uintptr
	munmapAddress    uintptr
	mkdirAddress     uintptr
	unlinkAddress    uintptr
	getpidAddress    uintptr
	getppidAddress   uintptr
	issetugidAddress uintptr
	sigmaskAddress   uintptr
	clockAddress     uintptr
	pidpathAddress   uintptr
	fstatAddress     uintptr
)
