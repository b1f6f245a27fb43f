package derive

import "strings"

// The compiler replaces calls of some functions of the standard library by instructions (cmd/compile/internal/ssagen,
// intrinsics). Then none of their code is executed. Some have a call for machines without the instruction, which is never
// executed elsewhere.

// intrinsics are the functions that are replaced on all architectures which programs are mapped for, by package. Those of package
// runtime and what is below it are left out, as nothing is counted there.
var intrinsics = map[string]string{
	"crypto/internal/constanttime": "Select boolToUint8",
	"math":                         "Ceil FMA Floor RoundToEven Trunc sqrt",
	"math/big":                     "mulWW",
	"math/bits": "Add Add64 Len Len16 Len32 Len64 Len8 Mul Mul64 OnesCount OnesCount16 OnesCount32 OnesCount64 " +
		"ReverseBytes32 ReverseBytes64 RotateLeft RotateLeft32 RotateLeft64 Sub Sub64 TrailingZeros16 " +
		"TrailingZeros32 TrailingZeros64 TrailingZeros8",
	"sync": "runtime_LoadAcquintptr runtime_StoreReluintptr",
	"sync/atomic": "AddInt32 AddInt64 AddUint32 AddUint64 AddUintptr AndInt32 AndInt64 AndUint32 AndUint64 AndUintptr " +
		"CompareAndSwapInt32 CompareAndSwapInt64 CompareAndSwapUint32 CompareAndSwapUint64 " +
		"CompareAndSwapUintptr LoadInt32 LoadInt64 LoadPointer LoadUint32 LoadUint64 LoadUintptr OrInt32 " +
		"OrInt64 OrUint32 OrUint64 OrUintptr StoreInt32 StoreInt64 StoreUint32 StoreUint64 StoreUintptr " +
		"SwapInt32 SwapInt64 SwapUint32 SwapUint64 SwapUintptr",
}

// intrinsicsOf are those that are replaced on one architecture only.
var intrinsicsOf = map[string]map[string]string{
	"amd64": {
		"math/bits": "Div Div64 RotateLeft16 RotateLeft8",
	},
	"arm64": {
		"math":      "Abs Round",
		"math/bits": "Reverse Reverse16 Reverse32 Reverse64 Reverse8",
	},
}

// isIntrinsic reports whether calls of a function are replaced by instructions, by its import path and name.
func isIntrinsic(arch, function string) bool {
	dot := strings.LastIndexByte(function, '.')
	if dot < 0 {
		return false
	}
	path, name := function[:dot], function[dot+1:]
	has := func(list string) bool { return strings.Contains(" "+list+" ", " "+name+" ") }
	return has(intrinsics[path]) || has(intrinsicsOf[arch][path])
}
