package patch

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"encoding/hex"
	"testing"
)

// vexInstructions are instructions with VEX and EVEX prefixes as GNU as encodes them: the kinds of operands and immediate
// values that there are.
var vexInstructions = []struct{ code, text string }{
	{"62f17c481000", "vmovups (%rax),%zmm0"},
	{"62f17c48104001", "vmovups 0x40(%rax),%zmm0"},
	{"c5f877", "vzeroupper"},
	{"c5fc77", "vzeroall"},
	{"c5fe6f06", "vmovdqu (%rsi),%ymm0"},
	{"c5fe6f4610", "vmovdqu 0x10(%rsi),%ymm0"},
	{"c5fe6f8600100000", "vmovdqu 0x1000(%rsi),%ymm0"},
	{"c5fe6f0544332211", "vmovdqu 0x11223344(%rip),%ymm0"},
	{"c57e6f04ce", "vmovdqu (%rsi,%rcx,8),%ymm8"},
	{"c57e6f44ce10", "vmovdqu 0x10(%rsi,%rcx,8),%ymm8"},
	{"c57e6f84ce00100000", "vmovdqu 0x1000(%rsi,%rcx,8),%ymm8"},
	{"c5fe6f0ccd00100000", "vmovdqu 0x1000(,%rcx,8),%ymm1"},
	{"c5fe6f0c24", "vmovdqu (%rsp),%ymm1"},
	{"c4c17e6f0c24", "vmovdqu (%r12),%ymm1"},
	{"c4c17e6f4d00", "vmovdqu 0x0(%r13),%ymm1"},
	{"c5edefd9", "vpxor %ymm1,%ymm2,%ymm3"},
	{"c4e26900d9", "vpshufb %xmm1,%xmm2,%xmm3"},
	{"c4e26d001d44332211", "vpshufb 0x11223344(%rip),%ymm2,%ymm3"},
	{"c4e3690fd90f", "vpalignr $0xf,%xmm1,%xmm2,%xmm3"},
	{"c4836d0f5c11080f", "vpalignr $0xf,0x8(%r9,%r10,1),%ymm2,%ymm3"},
	{"c5f970d14e", "vpshufd $0x4e,%xmm1,%xmm2"},
	{"c5e973d908", "vpsrldq $0x8,%xmm1,%xmm2"},
	{"c5e972f107", "vpslld $0x7,%xmm1,%xmm2"},
	{"c59d73f107", "vpsllq $0x7,%ymm1,%ymm12"},
	{"c5e8c2d901", "vcmpltps %xmm1,%xmm2,%xmm3"},
	{"c5f1c4d003", "vpinsrw $0x3,%eax,%xmm1,%xmm2"},
	{"c5f9c5c103", "vpextrw $0x3,%xmm1,%eax"},
	{"c5e8c6d903", "vshufps $0x3,%xmm1,%xmm2,%xmm3"},
	{"c4e36d38d901", "vinserti128 $0x1,%xmm1,%ymm2,%ymm3"},
	{"c4e3f916c801", "vpextrq $0x1,%xmm1,%rax"},
	{"c4e3fd00d14e", "vpermq $0x4e,%ymm1,%ymm2"},
	{"c4e27d78d1", "vpbroadcastb %xmm1,%ymm2"},
	{"c5ed74d9", "vpcmpeqb %ymm1,%ymm2,%ymm3"},
	{"c5fdd7c1", "vpmovmskb %ymm1,%eax"},
	{"c4e27d17c9", "vptest %ymm1,%ymm1"},
	{"c4e3fbf0d811", "rorx $0x11,%rax,%rbx"},
	{"c4e2e0f2c8", "andn %rax,%rbx,%rcx"},
	{"c4e2f8f5cb", "bzhi %rax,%rbx,%rcx"},
	{"c4e2e3f6c8", "mulx %rax,%rbx,%rcx"},
	{"c4e2f9f74b08", "shlx %rax,0x8(%rbx),%rcx"},
	{"c4e2e9b9d9", "vfmadd231sd %xmm1,%xmm2,%xmm3"},
	{"c4e3614ce210", "vpblendvb %xmm1,%xmm2,%xmm3,%xmm4"},
	{"c4e275921c90", "vgatherdps %ymm1,(%rax,%ymm2,4),%ymm3"},
}

// TestDecode has package x86asm decode what it did not know, or not well, in the past.
func TestDecode(t *testing.T) {
	for _, test := range vexInstructions {
		code, err := hex.DecodeString(test.code)
		if err != nil {
			t.Fatal(err)
		}
		following := append(code[:len(code):len(code)], 0x48, 0x89, 0x84, 0x24, 0x10, 0, 0, 0)
		if inst, ok := decode(following); !ok || inst.Len != len(code) {
			t.Errorf("%s (%s) has %d bytes, want %d", test.text, test.code, inst.Len, len(code))
		}
	}
	for _, other := range []string{"", "06", "48", "488b", "c5", "c5f8", "62f17c48"} { // nothing, and what is cut off
		code, _ := hex.DecodeString(other)
		if inst, ok := decode(code); ok {
			t.Errorf("%q is decoded as %v", other, inst)
		}
	}
}

// Where things are in the programs of these tests.
const (
	textAddress = 0x401000
	sitesAt     = 0x500000
	hashedAt    = 0x500100
	countersAt  = 0x600000
	hashesAt    = 0x700000
)

var testMarkers = markers{sites: sitesAt, n: 4, hashed: hashedAt, nHash: 2, counters: countersAt, hashes: hashesAt, size: 8}

// A writer writes the code of a function.
type writer struct{ code []byte }

func (w *writer) bytes(code ...byte) *writer {
	w.code = append(w.code, code...)
	return w
}

// rel appends an instruction that ends with the distance to an address, and an immediate value.
func (w *writer) rel(opcode []byte, to uint64, immediate ...byte) *writer {
	w.bytes(opcode...)
	next := textAddress + uint64(len(w.code)+4+len(immediate))
	w.code = binary.LittleEndian.AppendUint32(w.code, uint32(to-next))
	return w.bytes(immediate...)
}

// program returns a program with the function, and another one behind it.
func (w *writer) program() *program {
	end := textAddress + uint64(len(w.code))
	data := append(w.code, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90)
	text := &elf.Section{SectionHeader: elf.SectionHeader{Name: ".text", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC, Addr: textAddress, Size: uint64(len(data))}}
	return &program{
		data: data, text: text, file: &elf.File{Sections: []*elf.Section{text}},
		funcs: []gosym.Func{{Entry: textAddress, End: end}, {Entry: end, End: end + 8}},
	}
}

var (
	storeAX  = []byte{0x48, 0x89, 0x05} // MOVQ AX, …
	storeR12 = []byte{0x4c, 0x89, 0x25}
	storeImm = []byte{0x48, 0xc7, 0x05} // MOVQ $imm32, …
	storeOne = []byte{0xc6, 0x05}       // MOVB $imm8, …
)

// TestShapes has each shape of a marker, and what is none.
func TestShapes(t *testing.T) {
	const one = oneOffset
	nop := []byte{0x90}
	for _, test := range []struct {
		name   string
		code   *writer
		want   []site
		others int
	}{
		{"register", new(writer).rel(storeAX, sitesAt+16), []site{{length: 7, at: countersAt + 16, reg: 0}}, 0},
		{"register above 7", new(writer).rel(storeR12, sitesAt+32), []site{{length: 7, at: countersAt + 32, reg: 12}}, 0},
		{"constant", new(writer).rel(storeImm, sitesAt, 5, 0, 0, 0), []site{{length: 11, at: countersAt, reg: -1, number: 5}}, 0},
		{"negative constant", new(writer).rel(storeImm, sitesAt+48, 0xff, 0xff, 0xff, 0xff), []site{{length: 11, at: countersAt + 48, reg: -1, number: ^uint64(0)}}, 0},
		{"one path", new(writer).rel(storeOne, sitesAt+16+one, 1), []site{{length: 7, at: countersAt + 16, reg: -1}}, 0},
		{"hash table", new(writer).rel(storeR12, hashedAt+16), []site{{length: 7, at: hashesAt + 8, hash: true, reg: 12}}, 0},
		{"hash table, constant", new(writer).rel(storeImm, hashedAt, 9, 0, 0, 0), []site{{length: 11, at: hashesAt, hash: true, reg: -1, number: 9}}, 0},
		{"two", new(writer).rel(storeAX, sitesAt).rel(storeAX, sitesAt), []site{{length: 7, at: countersAt}, {length: 7, at: countersAt}}, 0},
		{"behind VEX", new(writer).bytes(0xc5, 0xf8, 0x77).rel(storeAX, sitesAt), []site{{length: 7, at: countersAt}}, 0},

		{"32 bits", new(writer).rel(storeAX[1:], sitesAt), nil, 1},
		{"add", new(writer).rel([]byte{0x48, 0x01, 0x05}, sitesAt), nil, 1},
		{"load", new(writer).rel([]byte{0x48, 0x8b, 0x05}, sitesAt), nil, 1},
		{"address", new(writer).rel([]byte{0x48, 0x8d, 0x05}, sitesAt), nil, 1},
		{"register as byte", new(writer).rel([]byte{0x88, 0x05}, sitesAt+one), nil, 1},
		{"register to the byte", new(writer).rel(storeAX, sitesAt+one), nil, 1},
		{"byte to the word", new(writer).rel(storeOne, sitesAt, 1), nil, 1},
		{"byte of a hash table", new(writer).rel(storeOne, hashedAt+one, 1), nil, 1},
		{"with a prefix", new(writer).bytes(0x65).rel(storeAX, sitesAt), nil, 1},

		{"before the first", new(writer).rel(storeAX, sitesAt-16), nil, 0},
		{"behind the last", new(writer).rel(storeAX, sitesAt+4*16), nil, 0},
		{"in a constant", new(writer).bytes(0x48, 0xb8).rel(nil, sitesAt, 0, 0, 0, 0), nil, 0}, // MOVQ $imm64, AX

		{"jump to it", new(writer).bytes(0xeb, 0).rel(storeAX, sitesAt), []site{{length: 7, at: countersAt}}, 0},
		{"jump into it", new(writer).bytes(0xeb, 3).rel(storeAX, sitesAt), nil, 1},
		{"jump into its end", new(writer).rel(storeImm, sitesAt, 5, 0, 0, 0).bytes(0xeb, 0xfd), nil, 1},
		{"jump behind it", new(writer).bytes(0xeb, 7).rel(storeAX, sitesAt).bytes(nop...), []site{{length: 7, at: countersAt}}, 0},
		{"unknown instruction", new(writer).rel(storeAX, sitesAt).bytes(0x06), nil, 1},
		{"cut off instruction", new(writer).rel(storeAX, sitesAt).bytes(0x48, 0x8b), nil, 1},
	} {
		p := test.code.program()
		sites, others := p.find([]markers{testMarkers})
		if others != test.others || len(sites) != len(test.want) {
			t.Errorf("%s: %d sites and %d others, want %d and %d", test.name, len(sites), others, len(test.want), test.others)
			continue
		}
		for i, s := range sites {
			if s.address < textAddress || s.address+uint64(s.length) > textAddress+uint64(len(test.code.code)) {
				t.Errorf("%s: at %#x", test.name, s.address)
			}
			s.address = 0
			if s != test.want[i] {
				t.Errorf("%s: %+v, want %+v", test.name, s, test.want[i])
			}
		}
	}
}

// TestDeclined has a function that cannot be decoded, and one behind it that can.
func TestDeclined(t *testing.T) {
	w := new(writer).rel(storeAX, sitesAt).bytes(0x06)
	first := uint64(len(w.code))
	p := w.rel(storeAX, sitesAt+16).program()
	p.funcs[0].End = textAddress + first
	p.funcs = append(p.funcs[:1], gosym.Func{Entry: textAddress + first, End: textAddress + uint64(len(w.code))})
	sites, others := p.find([]markers{testMarkers})
	if len(sites) != 1 || sites[0].address != textAddress+first || others != 1 {
		t.Errorf("sites %+v and %d others, want one of each", sites, others)
	}
}
