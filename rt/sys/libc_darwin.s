// Jumps to functions of libSystem, and their addresses: see libc_darwin.go. Package syscall has the same of its own.

#include "textflag.h"

TEXT libc_open_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_open(SB)

GLOBL	·openAddress(SB), RODATA, $8
DATA	·openAddress(SB)/8, $libc_open_jump<>(SB)

TEXT libc_read_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_read(SB)

GLOBL	·readAddress(SB), RODATA, $8
DATA	·readAddress(SB)/8, $libc_read_jump<>(SB)

TEXT libc_pread_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_pread(SB)

GLOBL	·preadAddress(SB), RODATA, $8
DATA	·preadAddress(SB)/8, $libc_pread_jump<>(SB)

TEXT libc_pwrite_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_pwrite(SB)

GLOBL	·pwriteAddress(SB), RODATA, $8
DATA	·pwriteAddress(SB)/8, $libc_pwrite_jump<>(SB)

TEXT libc_writev_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_writev(SB)

GLOBL	·writevAddress(SB), RODATA, $8
DATA	·writevAddress(SB)/8, $libc_writev_jump<>(SB)

TEXT libc_close_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_close(SB)

GLOBL	·closeAddress(SB), RODATA, $8
DATA	·closeAddress(SB)/8, $libc_close_jump<>(SB)

TEXT libc_fcntl_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_fcntl(SB)

GLOBL	·fcntlAddress(SB), RODATA, $8
DATA	·fcntlAddress(SB)/8, $libc_fcntl_jump<>(SB)

TEXT libc_mmap_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_mmap(SB)

GLOBL	·mmapAddress(SB), RODATA, $8
DATA	·mmapAddress(SB)/8, $libc_mmap_jump<>(SB)

TEXT libc_munmap_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_munmap(SB)

GLOBL	·munmapAddress(SB), RODATA, $8
DATA	·munmapAddress(SB)/8, $libc_munmap_jump<>(SB)

TEXT libc_mkdir_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_mkdir(SB)

GLOBL	·mkdirAddress(SB), RODATA, $8
DATA	·mkdirAddress(SB)/8, $libc_mkdir_jump<>(SB)

TEXT libc_unlink_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_unlink(SB)

GLOBL	·unlinkAddress(SB), RODATA, $8
DATA	·unlinkAddress(SB)/8, $libc_unlink_jump<>(SB)

TEXT libc_getpid_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_getpid(SB)

GLOBL	·getpidAddress(SB), RODATA, $8
DATA	·getpidAddress(SB)/8, $libc_getpid_jump<>(SB)

TEXT libc_getppid_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_getppid(SB)

GLOBL	·getppidAddress(SB), RODATA, $8
DATA	·getppidAddress(SB)/8, $libc_getppid_jump<>(SB)

TEXT libc_issetugid_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_issetugid(SB)

GLOBL	·issetugidAddress(SB), RODATA, $8
DATA	·issetugidAddress(SB)/8, $libc_issetugid_jump<>(SB)

TEXT libc_pthread_sigmask_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_pthread_sigmask(SB)

GLOBL	·sigmaskAddress(SB), RODATA, $8
DATA	·sigmaskAddress(SB)/8, $libc_pthread_sigmask_jump<>(SB)

TEXT libc_clock_gettime_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_clock_gettime(SB)

GLOBL	·clockAddress(SB), RODATA, $8
DATA	·clockAddress(SB)/8, $libc_clock_gettime_jump<>(SB)

TEXT libc_proc_pidpath_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_proc_pidpath(SB)

GLOBL	·pidpathAddress(SB), RODATA, $8
DATA	·pidpathAddress(SB)/8, $libc_proc_pidpath_jump<>(SB)
