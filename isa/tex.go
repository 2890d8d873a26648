package isa

// Tex is the form of a texture instruction, tex or tld4 (PTX ISA, sections 9.7.9.3 and 9.7.9.4).
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
type Tex struct {
	Dims      uint8 // coordinates of a texel without the layer: 1 to 3; of a face of a cube: 2
	Layered   bool
	Cube      bool // the coordinates are a direction
	Whole     bool // the coordinates are those of a texel
	Gather    bool // tld4: one component of four texels
	Component uint8
	Sampler   bool
	Level     TexLevel
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
