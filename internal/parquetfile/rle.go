package parquetfile

import "encoding/binary"

// appendHybrid appends numbers in the RLE/bit-packing hybrid encoding: runs of one number, and groups of eight numbers of so many
// bits each. The last group is filled up with 0.
func appendHybrid(b []byte, numbers []uint32, bits int) []byte {
	packed := 0 // where the numbers begin that are not written yet
	for i := 0; i < len(numbers); {
		run := 1
		for i+run < len(numbers) && numbers[i+run] == numbers[i] {
			run++
		}
		// Numbers before a run are whole groups: they take what they need of it.
		if fill := -(i - packed) & 7; run-fill >= 8 {
			b = appendPacked(b, numbers[packed:i+fill], bits)
			b = binary.AppendUvarint(b, uint64(run-fill)<<1)
			for shift := 0; shift < bits; shift += 8 {
				b = append(b, byte(numbers[i]>>shift))
			}
			packed = i + run
		}
		i += run
	}
	return appendPacked(b, numbers[packed:], bits)
}

// appendPacked appends groups of eight numbers.
func appendPacked(b []byte, numbers []uint32, bits int) []byte {
	if len(numbers) == 0 {
		return b
	}
	groups := (len(numbers) + 7) / 8
	b = binary.AppendUvarint(b, uint64(groups)<<1|1)
	held, n := uint64(0), 0
	for i := range groups * 8 {
		if i < len(numbers) {
			held |= uint64(numbers[i]) << n
		}
		for n += bits; n >= 8; n -= 8 {
			b = append(b, byte(held))
			held >>= 8
		}
	}
	return b
}
