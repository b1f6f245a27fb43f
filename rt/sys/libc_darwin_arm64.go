package sys

//go:cgo_import_dynamic libc_fstat fstat "/usr/lib/libSystem.B.dylib"
