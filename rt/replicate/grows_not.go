//go:build !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package replicate

// first is how many tables are made when the program starts. None can be made later: they are memory of the heap here, and the
// runtime's monitor can have none. What is not used costs no more than addresses.
const first = 8
