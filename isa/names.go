package isa

// The names of operand types, state spaces and operators as PTX spells them, for waveforms and
// diagnosis. Entries that are not listed have no name.

var typeNames = [...]string{
	U8: "u8", U16: "u16", U32: "u32", U64: "u64", S8: "s8", S16: "s16", S32: "s32", S64: "s64",
	B8: "b8", B16: "b16", B32: "b32", B64: "b64", F32: "f32", F64: "f64", Pred: "pred",
}

var spaceNames = [...]string{
	SpaceGeneric: "generic", SpaceGlobal: "global", SpaceShared: "shared", SpaceLocal: "local", SpaceConst: "const",
	SpaceParam: "param", SpaceTexture: "texture",
}

var cacheNames = [...]string{CacheGlobal: "cg", CacheVolatile: "volatile", CacheStream: "cs"}

var atomNames = [...]string{
	AtomAnd: "and", AtomOr: "or", AtomXor: "xor", AtomExch: "exch", AtomCas: "cas", AtomAdd: "add", AtomInc: "inc",
	AtomDec: "dec",
	AtomMin: "min", AtomMax: "max",
}

func (t Type) String() string    { return nameOf(typeNames[:], int(t)) }
func (s Space) String() string   { return nameOf(spaceNames[:], int(s)) }
func (c CacheOp) String() string { return nameOf(cacheNames[:], int(c)) }
func (a AtomOp) String() string  { return nameOf(atomNames[:], int(a)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}
