package patch

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/native"
)

// A Report says what became of the markers of a program.
type Report struct {
	Sites  int // copies of markers that are no-ops now
	Others int // accesses to markers of another shape, which stay as they are and are never sampled
}

// Patch patches an executable in place. A program that has no native probes is left as it is. If anything is wrong, so is
// any other.
func Patch(name string) (r Report, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	patched, r, err := patch(data)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if patched == nil {
		return r, nil
	}
	return r, Replace(name, patched)
}

// Replace has a file be others' data at once: nobody sees a part of it. Its permissions stay.
func Replace(name string, data []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(info.Mode()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// patch returns the patched program, nil if there is nothing to patch. It writes to data.
func patch(data []byte) ([]byte, Report, error) {
	p, err := openProgram(data)
	if err != nil {
		return nil, Report{}, err
	}
	images := p.descriptors([2]uint64{native.ImageMagic0, native.ImageMagic1}, native.ImageWords)
	var packages []markers
	for _, d := range p.descriptors([2]uint64{native.MarkersMagic0, native.MarkersMagic1}, native.MarkersWords) {
		packages = append(packages, d.markers())
	}
	if len(images) == 0 || len(packages) == 0 {
		return nil, Report{}, nil
	}
	if err := p.locate(images[0].word(7)); err != nil {
		return nil, Report{}, err
	}
	sites, others := p.find(packages)
	r := Report{Sites: len(sites), Others: others}
	im, err := p.image(sites, offsets{images[0].word(5), images[0].word(6)})
	if err != nil {
		return nil, r, err
	}
	p.write(sites, im)
	return p.attach(im, images, others), r, nil
}

// write writes the no-ops of sites over them.
func (p *program) write(sites []site, im *image) {
	for _, s := range sites {
		code := p.at(s.address)[:s.length]
		noop := im.noops[s.address]
		copy(code, noop[:])
		copy(code[siteLength:], longNoop)
	}
}

// longNoop is what is behind the first no-op of a longer site, which is MOVQ $imm32.
var longNoop = []byte{0x0f, 0x1f, 0x40, 0x00}

// An image is what package rt maps besides the program: see native.Image.
type image struct {
	base  uint64 // of the code
	code  []byte
	noops map[uint64][siteLength]byte
	list  []byte // of addresses of sites, 4 bytes each
	means []byte // what they stand for, 4 bytes each: At of runfile.Site
}

const (
	stubPage  = 1 << 16
	fewest    = 1 << 16 // address that programs may use, if the system has not been told otherwise
	stubBytes = 65
)

// image lays the stubs out in a region below the program.
func (p *program) image(sites []site, o offsets) (*image, error) {
	lowest := uint64(1) << 32
	for _, s := range p.file.Progs {
		if s.Type == elf.PT_LOAD {
			lowest = min(lowest, s.Vaddr)
		}
	}
	most := (lowest&^(stubPage-1) - fewest) / stubPage
	for pages := uint64(len(sites)*stubBytes/stubPage + 1); pages < most; pages += pages/4 + 1 {
		if im := layOut(sites, o, lowest&^(stubPage-1)-pages*stubPage, pages); im != nil {
			return im, nil
		}
	}
	return nil, fmt.Errorf("%d sites are too many", len(sites))
}

// layOut returns an image for which there is a region, or nil if it is too small.
func layOut(sites []site, o offsets, region, pages uint64) *image {
	a := &assembler{base: region, code: make([]byte, pages*stubPage), taken: make([]bool, pages*stubPage)}
	im := &image{base: region, noops: make(map[uint64][siteLength]byte)}
	for k, s := range sites {
		placed := false
		code := s.stub(k, o)
		for _, place := range stubsFor(s.address, region, pages) {
			n, ok := noop(s.address, place)
			if !ok || !a.room(place, len(code)) {
				continue
			}
			a.put(place, code)
			im.noops[s.address] = n
			im.list = append(im.list, le32(s.address)...)
			im.means = append(im.means, le32(s.means())...)
			placed = true
			break
		}
		if !placed {
			return nil
		}
	}
	im.code = a.code[:align(a.end)]
	return im
}

func align(n int) int { return (n + 4095) &^ 4095 }

// attach returns the program with the image behind it, and says so in rt's variable.
func (p *program) attach(im *image, descriptors []descriptor, others int) []byte {
	for _, d := range descriptors {
		for i, v := range []int{align(len(p.data)), len(im.code), int(im.base), len(im.list) / 4, others} {
			d.setWord(i, uint64(v))
		}
	}
	data := append(p.data, make([]byte, align(len(p.data))-len(p.data))...)
	data = append(data, im.code...)
	return slices.Concat(data, im.list, im.means)
}
