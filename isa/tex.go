package isa

// Tex is the form of a texture instruction: tex or tld4 (PTX ISA, sections 9.7.9.3 and 9.7.9.4), or the
// address of a suld, sust or sured (section 9.7.10).
// Its sources are, in this order:
//
//   - the address of the description of the texture: struct divergo_texture of
//     cuda/include/divergo/texture.h;
//   - the address of the description of the sampler, if Sampler;
//   - the layer, if Layered;
//   - Coordinates coordinates, of type s32 if Whole, or else f32;
//   - the level of detail by LevelGiven, or the gradients by LevelGradient: Dims of dPdx, then Dims of
//     dPdy.
//
// All but the addresses have 32 bits. The type of the instruction is that of its results.
//
// With Surface, the results are two words of 64 bits: the address of the accessed bytes, and 1 if they lie
// in the surface, else 0. The load/store unit performs the access. GPUs of the generation Fermi have this
// instruction as SULEA, surface load effective address (Mesa, nouveau's compiler).
type Tex struct {
	Dims      uint8 // coordinates of a texel without the layer: 1 to 3; of a face of a cube: 2
	Layered   bool
	Cube      bool // the coordinates are a direction
	Whole     bool // the coordinates are those of a texel
	Gather    bool // tld4: one component of four texels
	Component uint8
	Sampler   bool
	Level     TexLevel

	Surface bool
	Clamp   bool  // coordinates outside of the surface move to its edge
	Bytes   uint8 // of the access; 0: a formatted one, of a texel, whose first coordinate counts texels
}

// TexLevel selects the level of a texture with mipmaps.
type TexLevel uint8

// The selections of a level.
const (
	LevelBase TexLevel = iota // the first
	LevelGiven
	LevelGradient
)

// Handles is the number of addresses among the sources. They come first.
func (t *Tex) Handles() int {
	if t.Sampler {
		return 2
	}
	return 1
}

// Coordinates is the number of coordinates among the sources, without the layer.
func (t *Tex) Coordinates() int {
	if t.Cube {
		return 3
	}
	return int(t.Dims)
}

// Planes reports whether a texel has a third index: a coordinate, a layer or a face.
func (t *Tex) Planes() bool { return t.Dims == 3 || t.Layered || t.Cube }
