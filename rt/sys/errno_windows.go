//go:build !386

package sys

// otherErrors is what numbers of Windows's errors are added to that have no number on other systems.
const otherErrors = 100_000

// errnoOf returns the number that an error of Windows has on other systems.
//
//go:norace
func errnoOf(code uintptr) Errno {
	switch code {
	case 2, 3, 15, 53, 67, 123, 161: // no such file, folder, drive or share; invalid names
		return NoEntry
	case 4:
		return tooManyOpenHere
	case 5, 32, 33: // also files that others have open or locked
		return accessDenied
	case 6:
		return BadFile
	case 8, 14, 1455: // also no room in the paging file
		return noMemory
	case 19:
		return readOnly
	case 39, 112:
		return noSpace
	case 80, 183:
		return Exists
	case 206:
		return nameTooLong
	case 223:
		return fileTooLarge
	case 267:
		return notDirectory
	case 1117:
		return inputOutput
	case 1295, 1816: // quotas of a disk, and of the process
		return overQuota
	}
	return otherErrors + Errno(code)
}
