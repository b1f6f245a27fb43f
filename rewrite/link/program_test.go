package link

import (
	"debug/elf"
	"encoding/binary"
	"testing"

	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// TestPackagesUnset has a descriptor as it is in crypto/internal/fips140, where the compiler leaves out addresses, one as it is
// elsewhere, and one that leads nowhere.
func TestPackagesUnset(t *testing.T) {
	const at = 0x1000
	section := elf.SectionHeader{Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Addr: at}
	with := func(descriptors ...[rt.PackageWords]uint64) *program {
		var data []byte
		for _, d := range descriptors {
			data = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(data, rt.PackageMagic0), rt.PackageMagic1)
			for _, w := range d {
				data = binary.LittleEndian.AppendUint64(data, w)
			}
		}
		section.Size = uint64(len(data))
		return &program{data: data, file: &elf.File{Sections: []*elf.Section{{SectionHeader: section}}}}
	}
	unset, set := [rt.PackageWords]uint64{3: 7}, [rt.PackageWords]uint64{at, 1, at, 1, at, at, 0, at + 8}
	p := with(unset, set)
	list, err := p.packages()
	if err != nil || len(list) != 1 || list[0].n != 1 || list[0].sampling != at+8 || list[0].at != at+8*(2+rt.PackageWords) {
		t.Errorf("packages are %+v, error %v; want the second", list, err)
	}
	if len(p.unset) != 1 || p.unset[0].n != 7 || p.unset[0].at != at {
		t.Errorf("%+v are unset, want the first", p.unset)
	}
	if _, err := with([rt.PackageWords]uint64{1, 1, 1, 1, 1, 1, 0, 1}).packages(); err == nil {
		t.Error("no error where a descriptor leads nowhere")
	}
}
