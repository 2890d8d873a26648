package isa

// Op is an instruction family of the PTX ISA. Types and modifiers are fields of Inst.
type Op uint8

// The instruction families, in the order of the PTX ISA manual, chapter 9.7.
const (
	OpNone Op = iota
	OpAdd
	OpSub
	OpMul
	OpMad  // mad.lo, mad.hi and mad.wide of integers; mad of f32 and f64, which is fma
	OpAddC // the last source is the carry in, the second destination the carry out: predicates
	OpSubC
	OpMadC
	OpMul24
	OpMad24
	OpSad
	OpDiv
	OpRem
	OpAbs
	OpNeg
	OpMin
	OpMax
	OpPopc
	OpClz
	OpBfind
	OpBrev
	OpBfe
	OpBfi
	OpFns
	OpSzext
	OpBmsk
	OpDp4a // SrcType is the type of the second operand
	OpDp2a
	OpFma
	OpRcp
	OpSqrt
	OpRsqrt
	OpSin
	OpCos
	OpLg2
	OpEx2
	OpTanh
	OpCopysign
	OpTestp
	OpSet
	OpSetp
	OpSelp
	OpSlct
	OpAnd
	OpOr
	OpXor
	OpNot
	OpCnot
	OpLop3 // Src[3] is the table; with Bool, Src[4] and the second destination are predicates
	OpShl
	OpShr
	OpShf
	OpPrmt
	OpMov    // register, immediate, special register or symbol address
	OpPack   // mov with a vector source
	OpUnpack // mov with a vector destination
	OpMovVec // mov of a vector to a vector: each source goes to the destination of its number
	OpShfl   // also shfl.sync
	OpLd     // also ldu
	OpSt
	OpCvta
	OpIsspacep
	OpCvt
	OpCvtPack
	OpTex // also tld4: Tex names the form and the order of the sources
	OpBra
	OpExit
	// OpCall: Src[0] is the return PC, Dst[0] the link register. In an indirect call Src[1] is the
	// address of the function.
	OpCall
	OpRet // Src[0] is the link register; without a source, in a kernel, the same as exit
	OpBar
	OpB2R     // the result of the preceding bar.red, which PTX writes as a part of that instruction
	OpBarWarp // bar.warp.sync
	OpMembar  // also fence
	OpAtom
	OpRed
	OpVote // also vote.sync
	OpMatch
	OpActivemask
	OpRedux
	OpElect    // the destinations are the laneid of the elected thread, and whether it is this thread
	OpMma      // the last source names all threads of a warp; the same for ldmatrix, stmatrix and movmatrix
	OpLdmatrix // Vec matrices
	OpStmatrix // Vec matrices: Src[0] is the address, the next sources are each thread's part of them
	OpMovmatrix
	// OpCopy is cp.async: Src[0] is the address in shared memory, Src[1] the address in global
	// memory. Src[2] is the number of bytes to read, or a predicate that suppresses the read.
	OpCopy
	OpCopyCommit // cp.async.commit_group
	OpCopyWait   // cp.async.wait_group with the number as Src[0], and wait_all
	OpTrap

	// Video instructions: Vec is 1 for the scalar ones, 2 or 4 for the SIMD ones. Select names the
	// selected parts of their operands. Type is that of the result, SrcType that of a; Atom is the
	// secondary operation.
	OpVadd
	OpVsub
	OpVabsdiff
	OpVmin
	OpVmax
	OpVavrg
	OpVshl
	OpVshr
	OpVmad
	OpVset
	OpNop // pmevent and other instructions without architectural effect

	// Instructions that divergence mechanisms need beyond PTX: see WithTokens and WithBarriers.
	OpSSY   // push a token that waits at Target
	OpSync  // pop a token
	OpBSSY  // the active threads join convergence barrier Conv and continue at Target behind it
	OpBSync // wait at convergence barrier Conv
	OpBMov  // the live threads of mask Src[0] join convergence barrier Conv and continue at Target behind it
	OpYield // let another path of the warp run first

	OpWarpSync // wait for the threads that the membermask of the next instruction names
)

// Type is a fundamental type of the PTX ISA.
type Type uint8

// The types.
const (
	NoType Type = iota
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	B8
	B16
	B32
	B64
	F32
	F64
	F16 // IEEE 754 binary16
	F16x2
	BF16 // the upper half of an f32
	BF16x2
	TF32 // an f32 whose low 13 bits are ignored
	F32x2
	E4M3x2 // two numbers of 8 bits, with 3 bits of fraction
	E5M2x2
	Pred
)

// Bits is the width of t in bits: 1 for Pred.
func (t Type) Bits() int {
	switch t {
	case U8, S8, B8:
		return 8
	case U16, S16, B16, F16, BF16, E4M3x2, E5M2x2:
		return 16
	case U32, S32, B32, F32, F16x2, BF16x2, TF32:
		return 32
	case U64, S64, B64, F64, F32x2:
		return 64
	case Pred:
		return 1
	}
	return 0
}

// Bytes is the size of t in memory, in bytes.
func (t Type) Bytes() int { return t.Bits() / 8 }

// Signed reports whether t is a signed integer type.
func (t Type) Signed() bool { return t >= S8 && t <= S64 }

// Float reports whether t is a floating-point type, or two of them in one register.
func (t Type) Float() bool { return t >= F32 && t <= E5M2x2 }

// Half reports whether t is a floating-point type of 16 bits, or two of them.
func (t Type) Half() bool { return t >= F16 && t <= BF16x2 }

// Element is the type of each half of t if t is two values in one register; otherwise it is t.
func (t Type) Element() Type {
	switch t {
	case F16x2:
		return F16
	case BF16x2:
		return BF16
	case F32x2:
		return F32
	}
	return t
}

// Cmp is a comparison of setp and set, or a test of testp.
type Cmp uint8

// The comparisons. Those from CmpEqu to CmpGeu are true if an operand is NaN.
const (
	CmpNone Cmp = iota
	CmpEq
	CmpNe
	CmpLt
	CmpLe
	CmpGt
	CmpGe
	CmpLo // unsigned lt
	CmpLs
	CmpHi
	CmpHs
	CmpEqu
	CmpNeu
	CmpLtu
	CmpLeu
	CmpGtu
	CmpGeu
	CmpNum
	CmpNan
	TestFinite
	TestInfinite
	TestNumber
	TestNotANumber
	TestNormal
	TestSubnormal
)

// BoolOp combines the comparison of setp and set with a predicate.
type BoolOp uint8

// The combinations.
const (
	BoolNone BoolOp = iota
	BoolAnd
	BoolOr
	BoolXor
)

// Round is a rounding modifier.
type Round uint8

// The rounding modifiers; those with I round to an integer.
const (
	RoundNone Round = iota
	RoundNearest
	RoundZero
	RoundDown
	RoundUp
	RoundAway // to nearest, ties away from zero
	RoundNearestInt
	RoundZeroInt
	RoundDownInt
	RoundUpInt
)

// Space is a state space.
type Space uint8

// The state spaces.
const (
	SpaceNone Space = iota // register operands
	SpaceGeneric
	SpaceGlobal
	SpaceShared
	SpaceLocal
	SpaceConst
	SpaceParam
	SpaceTexture // of accesses only: global memory read through the texture cache
)

// Mode is the modifier that selects among variants of one family.
type Mode uint8

// The modes, by family.
const (
	ModeNone Mode = iota
	ModeLo        // mul, mad, mul24, mad24
	ModeHi
	ModeWide
	ModeLeft // shf.l, shf.r
	ModeRight
	ModeF4E // prmt
	ModeB4E
	ModeRc8
	ModeEcl
	ModeEcr
	ModeRc16
	ModeSync   // bar.sync, barrier.sync
	ModeArrive // bar.arrive
	ModePopc   // bar.red
	ModeAnd
	ModeOr
	ModeCTA // membar and fence scopes
	ModeGPU
	ModeSys
	ModeTo // cvta.to
	ModeUp // shfl
	ModeDown
	ModeBfly
	ModeIdx
	ModeAll // vote; match
	ModeAny
	ModeUni
	ModeBallot
	ModePlusOne // vmad: .po
	ModeNegProduct
	ModeNegAddend
	ModeTrans // ldmatrix
)

// CacheOp is a cache operator of ld and st.
type CacheOp uint8

// The cache operators that the memory system distinguishes.
const (
	CacheDefault  CacheOp = iota // .ca of ld, .wb of st, .nc
	CacheGlobal                  // .cg: L2 only
	CacheVolatile                // .volatile, .cv, .wt, .relaxed and stronger: the L1 keeps no copy
	CacheStream                  // .cs, .lu of ld: the line makes room before others
)

// AtomOp is the operation of atom and red.
type AtomOp uint8

// The atomic operations.
const (
	AtomNone AtomOp = iota
	AtomAnd
	AtomOr
	AtomXor
	AtomExch
	AtomCas
	AtomAdd
	AtomInc
	AtomDec
	AtomMin
	AtomMax
)

// Flags are the one-bit modifiers.
type Flags uint32

// The modifiers.
const (
	FlagFtz       Flags = 1 << iota
	FlagSat             // saturate to [0,1] or to the integer range
	FlagApprox          // approximate function
	FlagFull            // div.full
	FlagUni             // bra.uni: the author promises uniformity within a warp
	FlagWrap            // shf, bmsk, szext, vshl, vshr: .wrap; otherwise clamp
	FlagShiftAmt        // bfind.shiftamt
	FlagLdu             // ldu
	FlagAcquire         // ld, atom: later loads of the thread must not read older data than this one
	FlagRelease         // st, atom, red: the thread's earlier stores are visible before this one
	FlagSync            // vote, shfl and the like: the last source, membermask, names the participating threads
	FlagNaN             // min and max: NaN if an operand is
	FlagXorSign         // min and max of magnitudes, with the product of the signs: .xorsign.abs
	FlagRelu            // negative results become 0
	FlagSatFinite       // out-of-range results become the largest number instead of infinity
	FlagHerd            // bra.hrd, ld.hrd: herded, see Herding
	FlagPair            // ld, st: first half of an access of twice the size; the address is aligned to the whole access
	FlagNC              // ld: .nc, through the texture cache; the memory does not change during the launch
)

// Class is the origin of a branch outcome (Rhu & Erez, ISCA 2013, section 3.2 and figure 10).
type Class uint8

// The branch classes.
const (
	ClassNone         Class = iota
	ClassProgrammatic       // P: thread indices and scalar parameters only
	ClassData               // D: values loaded from memory
)

// String is the letter of the class, empty for none.
func (c Class) String() string { return [...]string{"", "P", "D"}[c] }

// Special is a special register.
type Special uint8

// The special registers.
const (
	TidX Special = iota
	TidY
	TidZ
	NTidX
	NTidY
	NTidZ
	CtaidX
	CtaidY
	CtaidZ
	NCtaidX
	NCtaidY
	NCtaidZ
	LaneID
	WarpID
	NWarpID
	SMID
	NSMID
	GridID
	Clock
	ClockHi
	Clock64
	GlobalTimer
	LanemaskEq
	LanemaskLe
	LanemaskLt
	LanemaskGe
	LanemaskGt
	DynamicSharedSize
	TotalSharedSize
	WarpSize // WARP_SZ, a constant of the machine
	// BarResult, of OpB2R only: the lower half counts the threads whose predicate held at the
	// barrier, the upper half all threads that arrived.
	BarResult
	// ConvMask, of mechanisms only: lanes participating in convergence barrier 0. The masks of the
	// other barriers follow.
	ConvMask

	NumSpecials = ConvMask + MaxBarriers
)

// Address map. Global memory lies below 4 GiB, so that 32-bit addresses reach it. The generic
// windows of shared, local and parameter memory lie below global memory.
const (
	SharedWindow = 0x0100_0000 // generic address of shared offset 0
	LocalWindow  = 0x0200_0000 // generic address of local offset 0
	ParamWindow  = 0x0300_0000 // generic address of parameter offset 0
	WindowSize   = 0x0100_0000
	FuncBase     = 0x0001_0000 // address of the first function of a module; the others follow InstBytes apart
	ModuleBase   = 0x0400_0000 // module-level .global and .const variables
	GlobalBase   = 0x1000_0000 // first address that the host allocates
)
