package testbench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
	"divergo/isa"
)

// Texture describes how a kernel reads the bytes of a buffer as a texture or a surface.
type Texture struct {
	Reference string   // the .texref or .surfref that it is bound to; "": the kernel receives a handle
	Channel   isa.Type // NoType: the type of the buffer
	Size      [3]int   // texels
	Channels  int      // of a texel, set by Fit

	given      string
	unit       bool // integers are read as floats, 1 for the largest
	linear     bool
	normalized bool
	mode       uint32 // enum cudaTextureAddressMode, for all axes
	moded      bool   // the specification names a mode
}

// TextureBytes is the space in a program for the description of a texture.
const TextureBytes = 128

// textureWords are the words that a specification may have after the size, besides the channel
// type.
var textureWords = map[string]func(*Texture){
	"unit": func(t *Texture) { t.unit = true }, "linear": func(t *Texture) { t.linear = true },
	"normalized": func(t *Texture) { t.normalized = true },
	"wrap":       func(t *Texture) { t.mode, t.moded = 0, true }, "clamp": func(t *Texture) { t.mode, t.moded = 1, true },
	"mirror": func(t *Texture) { t.mode, t.moded = 2, true }, "border": func(t *Texture) { t.mode, t.moded = 3, true },
}

// channelTypes are the types of a channel. As is the type of a read. Unit is the type of a read as
// a float from 0 or -1 to 1. The values are those of OpenCL's cl_channel_type and of enum
// divergo_format.
var channelTypes = []struct {
	name     string
	typ      isa.Type
	as, unit [2]uint32
}{
	{"u8", isa.U8, [2]uint32{0x10DA, 0}, [2]uint32{0x10D2, 1}},
	{"s8", isa.S8, [2]uint32{0x10D7, 0}, [2]uint32{0x10D0, 2}},
	{"u16", isa.U16, [2]uint32{0x10DB, 0}, [2]uint32{0x10D3, 3}},
	{"s16", isa.S16, [2]uint32{0x10D8, 0}, [2]uint32{0x10D1, 4}},
	{"u32", isa.U32, [2]uint32{0x10DC, 0}, [2]uint32{}},
	{"s32", isa.S32, [2]uint32{0x10D9, 0}, [2]uint32{}},
	{"f16", isa.F16, [2]uint32{0x10DD, 5}, [2]uint32{}},
	{"f32", isa.F32, [2]uint32{0x10DE, 0}, [2]uint32{}},
}

// SplitTexture splits the specification of a texture:
//
//	tex:SIZE[,WORD...]:BUFFER          the kernel receives a handle
//	NAME=tex:SIZE[,WORD...]:BUFFER     bound to .texref or .surfref NAME
//
// SIZE is W, WxH or WxHxD in texels; layers count as D. WORD is one of
//
//   - a channel type: u8 s8 u16 s16 u32 s32 f16 f32; without one it is that of the buffer;
//   - unit, linear, normalized;
//   - clamp, wrap, mirror, border.
//
// SplitTexture does not check BUFFER. The texture is nil if the specification describes something
// else.
func SplitTexture(spec string) (t *Texture, buffer string, err error) {
	name, text := "", spec
	if before, after, found := strings.Cut(spec, "="); found && !strings.Contains(before, ":") {
		name, text = before, after
	}
	text, found := strings.CutPrefix(text, "tex:")
	if !found {
		return nil, spec, nil
	}
	t = &Texture{Reference: name, given: spec, Size: [3]int{1, 1, 1}, mode: 1}
	words, buffer, found := strings.Cut(text, ":")
	if !found || buffer == "" {
		return nil, "", fmt.Errorf("argument %q: want tex:SIZE:BUFFER, for example tex:8x8:buf:rand:f32:64", spec)
	}
	size, rest, _ := strings.Cut(words, ",")
	sizes := strings.Split(size, "x")
	for i, s := range sizes {
		n, err := strconv.Atoi(s)
		if len(sizes) > len(t.Size) || err != nil || n < 1 || n > 1<<20 {
			return nil, "", fmt.Errorf("argument %q: size %q: want W, WxH or WxHxD, each from 1 to %d texels", spec,
				size, 1<<20)
		}
		t.Size[i] = n
	}
	if rest == "" {
		return t, buffer, nil
	}
	for _, w := range strings.Split(rest, ",") {
		if set := textureWords[w]; set != nil {
			set(t)
		} else if t.Channel, err = channelType(w); err != nil {
			return nil, "", fmt.Errorf("argument %q: %w", spec, err)
		}
	}
	return t, buffer, nil
}

// channelType looks up the type of a channel.
func channelType(word string) (isa.Type, error) {
	var known []string
	for _, c := range channelTypes {
		if c.name == word {
			return c.typ, nil
		}
		known = append(known, c.name)
	}
	for w := range textureWords {
		known = append(known, w)
	}
	slices.Sort(known)
	return 0, nearest.Unknown("word", word, known)
}

// Fit turns a buffer into that of a texture, and derives the number of channels from its bytes.
func (t *Texture) Fit(a *Arg) error {
	if t.Channel == isa.NoType {
		t.Channel = a.Type
	}
	at := t.channel()
	switch {
	case !a.Buffer:
		return fmt.Errorf("argument %q: want a buffer of texels", t.given)
	case at < 0:
		return fmt.Errorf("argument %q: a channel has type u8, s8, u16, s16, u32, s32, f16 or f32: name it behind the size, as in tex:8x8,u8:buf:@FILE", t.given)
	case t.unit && channelTypes[at].unit == [2]uint32{}:
		return fmt.Errorf("argument %q: unit is for channels of 8 and 16 bits that are integers", t.given)
	}
	texels := uint64(t.Size[0]) * uint64(t.Size[1]) * uint64(t.Size[2])
	one := texels * uint64(t.Channel.Bytes())
	if t.Channels = int(a.Bytes / one); a.Bytes%one != 0 || t.Channels != 1 && t.Channels != 2 && t.Channels != 4 {
		return fmt.Errorf("argument %q: %d texels of 1, 2 or 4 channels of %d bytes are %d, %d or %d bytes, the buffer has %d",
			t.given, texels, t.Channel.Bytes(), one, 2*one, 4*one, a.Bytes)
	}
	a.Texture = t
	return nil
}

func (t *Texture) channel() int {
	for i := range channelTypes {
		if channelTypes[i].typ == t.Channel {
			return i
		}
	}
	return -1
}

// Describe returns the description of a texture whose texels begin at an address: struct
// divergo_texture of cuda/include/divergo/texture.h. Initial is the PTX description of a reference,
// nil for a handle.
func (t *Texture) Describe(texels uint64, initial []byte) []byte {
	d := append(slices.Clone(initial), make([]byte, TextureBytes-len(initial))...)
	word := func(at int, v uint32) { binary.LittleEndian.PutUint32(d[at:], v) }
	texel := t.Channels * t.Channel.Bytes()
	kind := channelTypes[t.channel()].as
	if t.unit {
		kind = channelTypes[t.channel()].unit
	}
	binary.LittleEndian.PutUint64(d, texels)
	binary.LittleEndian.PutUint64(d[8:], uint64(texel)*uint64(t.Size[0])*uint64(t.Size[1]))
	for i, v := range []int{texel * t.Size[0], t.Size[0], t.Size[1], t.Size[2], texel, t.Channels} {
		word(16+4*i, uint32(v))
	}
	word(40, kind[1])
	word(80, 1) // LOD level
	word(100, kind[0])
	if t.normalized {
		word(44, 1)
	}
	if t.linear {
		word(48, 1)
	}
	for axis := range t.Size {
		if t.moded || initial == nil {
			word(52+4*axis, t.mode)
		}
	}
	return d
}

// CheckReferences reports the textures and surfaces of a kernel whose references are not bound.
func CheckReferences(p *isa.Program, bound func(name string) bool) error {
	var errs []error
	for _, r := range p.References {
		if !bound(r.Name) {
			errs = append(errs, fmt.Errorf("%s:%d:%d: nothing is bound to %s, a .%s: want an argument %[4]s=tex:SIZE:BUFFER, for example %[4]s=tex:8x8:buf:rand:f32:64",
				p.File, r.Pos.Line, r.Pos.Col, r.Name, r.Kind))
		}
	}
	return errors.Join(errs...)
}
