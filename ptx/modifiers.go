package ptx

import (
	"strings"

	"divergo/isa"
)

// match is an instruction while its modifiers are read.
type match struct {
	isa.Inst
	types []isa.Type
	scope bool // .cta, .gpu, .sys
	order bool // .relaxed, .acquire, .release: the instruction names a memory order
	fetch fetch
}

// modifier is one word behind the opcode, with its effect.
type modifier struct {
	word  string
	apply func(*match)
}

// group is a set of modifiers. An instruction takes at most one of them.
type group struct {
	what  string
	words []modifier
	need  bool   // one is required
	dflt  string // taken if none is written
}

func (g group) find(word string) *modifier {
	for i := range g.words {
		if g.words[i].word == word {
			return &g.words[i]
		}
	}
	return nil
}

// list prints the words of g.
func (g group) list() []string {
	words := make([]string, len(g.words))
	for i, m := range g.words {
		words[i] = "." + m.word
	}
	return words
}

// required is g as a group of which an instruction must have one word.
func required(g group) group {
	g.need = true
	return g
}

// defaultsTo is g with word as the default.
func defaultsTo(word string, g group) group {
	g.dflt = word
	return g
}

// only is g with some of its words, separated by spaces.
func only(words string, g group) group {
	all := g.words
	g.words = nil
	for _, w := range strings.Fields(words) {
		for _, m := range all {
			if m.word == w {
				g.words = append(g.words, m)
			}
		}
	}
	return g
}

func ignore(*match) {}

func flag(f isa.Flags) func(*match)     { return func(m *match) { m.Flags |= f } }
func mode(v isa.Mode) func(*match)      { return func(m *match) { m.Mode = v } }
func compare(v isa.Cmp) func(*match)    { return func(m *match) { m.Cmp = v } }
func combine(v isa.BoolOp) func(*match) { return func(m *match) { m.Bool = v } }
func round(v isa.Round) func(*match)    { return func(m *match) { m.Round = v } }
func atomOp(v isa.AtomOp) func(*match)  { return func(m *match) { m.Atom = v } }
func space(v isa.Space) func(*match)    { return func(m *match) { m.Space = v } }
func cache(v isa.CacheOp) func(*match)  { return func(m *match) { m.Cache = v } }
func vector(n uint8) func(*match)       { return func(m *match) { m.Vec = n } }
func ordered(f isa.Flags) func(*match) {
	return func(m *match) {
		m.Cache, m.order = isa.CacheVolatile, true
		m.Flags |= f
	}
}

func one(word string, apply func(*match)) group {
	return group{what: "." + word, words: []modifier{{word, apply}}}
}

// The groups of modifiers. Their order within an instruction is not checked, although the manual
// fixes it.
var (
	ftz      = one("ftz", flag(isa.FlagFtz))
	sat      = one("sat", flag(isa.FlagSat))
	approx   = one("approx", flag(isa.FlagApprox))
	indexed  = one("idx", ignore)
	uni      = one("uni", flag(isa.FlagUni))
	herded   = one("hrd", flag(isa.FlagHerd)) // an extension, after Sartori & Kumar, section III-B
	lockstep = group{what: "kind of branch", words: []modifier{{"uni", flag(isa.FlagUni)}, {"hrd", flag(isa.FlagHerd)}}}
	shiftAmt = one("shiftamt", flag(isa.FlagShiftAmt))
	to       = one("to", mode(isa.ModeTo))
	aligned  = one("aligned", ignore)
	cta      = one("cta", ignore)
	mask     = one("mask", ignore)
	cc       = one("cc", ignore) // see operands.carry
	nan      = one("NaN", flag(isa.FlagNaN))
	xorsign  = one("xorsign.abs", flag(isa.FlagXorSign)) // two words that belong together: see the parser
	nc       = one("nc", flag(isa.FlagNC))

	half = group{what: "the half of the product", words: []modifier{
		{"lo", mode(isa.ModeLo)}, {"hi", mode(isa.ModeHi)}, {"wide", mode(isa.ModeWide)},
	}}
	rounding = group{what: "rounding", words: []modifier{
		{"rn", round(isa.RoundNearest)}, {"rz", round(isa.RoundZero)}, {"rm", round(isa.RoundDown)}, {
			"rp",
			round(isa.RoundUp),
		},
	}}
	integerRounding = group{what: "rounding to an integer", words: []modifier{
		{"rni", round(isa.RoundNearestInt)}, {"rzi", round(isa.RoundZeroInt)}, {"rmi", round(isa.RoundDownInt)}, {
			"rpi",
			round(isa.RoundUpInt),
		},
	}}
	precision = group{what: "precision", words: append([]modifier{
		{"approx", flag(isa.FlagApprox)}, {"full", flag(isa.FlagFull)},
	}, rounding.words...)}

	comparison = group{what: "comparison", words: []modifier{
		{"eq", compare(isa.CmpEq)},
		{"ne", compare(isa.CmpNe)},
		{"lt", compare(isa.CmpLt)},
		{"le", compare(isa.CmpLe)},
		{"gt", compare(isa.CmpGt)},
		{"ge", compare(isa.CmpGe)},
		{"lo", compare(isa.CmpLo)},
		{"ls", compare(isa.CmpLs)},
		{"hi", compare(isa.CmpHi)},
		{"hs", compare(isa.CmpHs)},
		{"equ", compare(isa.CmpEqu)},
		{"neu", compare(isa.CmpNeu)},
		{"ltu", compare(isa.CmpLtu)},
		{"leu", compare(isa.CmpLeu)},
		{"gtu", compare(isa.CmpGtu)},
		{"geu", compare(isa.CmpGeu)},
		{"num", compare(isa.CmpNum)},
		{"nan", compare(isa.CmpNan)},
	}}
	boolean = group{what: "boolean operator", words: []modifier{
		{"and", combine(isa.BoolAnd)}, {"or", combine(isa.BoolOr)}, {"xor", combine(isa.BoolXor)},
	}}
	test = group{what: "test", words: []modifier{
		{"finite", compare(isa.TestFinite)},
		{"infinite", compare(isa.TestInfinite)},
		{"number", compare(isa.TestNumber)},
		{"notanumber", compare(isa.TestNotANumber)},
		{"normal", compare(isa.TestNormal)},
		{"subnormal", compare(isa.TestSubnormal)},
	}}

	direction = group{what: "direction", words: []modifier{{"l", mode(isa.ModeLeft)}, {"r", mode(isa.ModeRight)}}}
	overshift = group{
		what:  "treatment of large shifts",
		words: []modifier{{"clamp", ignore}, {"wrap", flag(isa.FlagWrap)}},
	}
	permute = group{what: "mode", words: []modifier{
		{"f4e", mode(isa.ModeF4E)},
		{"b4e", mode(isa.ModeB4E)},
		{"rc8", mode(isa.ModeRc8)},
		{"ecl", mode(isa.ModeEcl)},
		{"ecr", mode(isa.ModeEcr)},
		{"rc16", mode(isa.ModeRc16)},
	}}

	stateSpace = group{what: "state space", words: []modifier{
		{"global", space(isa.SpaceGlobal)},
		{"shared", space(isa.SpaceShared)},
		{"local", space(isa.SpaceLocal)},
		{"const", space(isa.SpaceConst)},
		{"param", space(isa.SpaceParam)},
		{"shared::cta", space(isa.SpaceShared)},
		{"param::entry", space(isa.SpaceParam)},
		{"param::func", space(isa.SpaceParam)},
	}}
	loadOrder = group{what: "memory order", words: []modifier{
		{"weak", ignore}, {"volatile", cache(isa.CacheVolatile)}, {"relaxed", ordered(0)}, {
			"acquire",
			ordered(isa.FlagAcquire),
		},
	}}
	storeOrder = group{what: "memory order", words: []modifier{
		{"weak", ignore}, {"volatile", cache(isa.CacheVolatile)}, {"relaxed", ordered(0)}, {
			"release",
			ordered(isa.FlagRelease),
		},
	}}
	atomicOrder = group{what: "memory order", words: []modifier{
		{"relaxed", ignore},
		{"acquire", flag(isa.FlagAcquire)},
		{"release", flag(isa.FlagRelease)},
		{"acq_rel", flag(isa.FlagAcquire | isa.FlagRelease)},
	}}
	threads = group{what: "scope", words: []modifier{
		{"cta", scoped}, {"cluster", scoped}, {"gpu", scoped}, {"sys", scoped},
	}}
	loadCache = group{what: "cache operator", words: []modifier{
		{"ca", ignore},
		{"cg", cache(isa.CacheGlobal)},
		{"cs", cache(isa.CacheStream)},
		{"lu", cache(isa.CacheStream)},
		{"cv", cache(isa.CacheVolatile)},
	}}
	storeCache = group{what: "cache operator", words: []modifier{
		{"wb", ignore},
		{"cg", cache(isa.CacheGlobal)},
		{"cs", cache(isa.CacheStream)},
		{"wt", cache(isa.CacheVolatile)},
	}}
	evictL1 = group{what: "eviction priority of the L1", words: []modifier{
		{"L1::evict_normal", ignore}, {"L1::evict_unchanged", ignore}, {"L1::evict_first", ignore}, {
			"L1::evict_last",
			ignore,
		}, {"L1::no_allocate", ignore},
	}}
	evictL2 = group{what: "eviction priority of the L2", words: []modifier{
		{"L2::evict_normal", ignore}, {"L2::evict_first", ignore}, {"L2::evict_last", ignore},
	}}
	prefetchL2 = group{what: "prefetch size", words: []modifier{
		{"L2::64B", ignore}, {"L2::128B", ignore}, {"L2::256B", ignore},
	}}
	elements     = group{what: "vector", words: []modifier{{"v2", vector(2)}, {"v4", vector(4)}}}
	moreElements = group{what: "vector", words: append(elements.words[:2:2], modifier{"v8", vector(8)})}

	atomics = group{what: "operation", words: []modifier{
		{"and", atomOp(isa.AtomAnd)},
		{"or", atomOp(isa.AtomOr)},
		{"xor", atomOp(isa.AtomXor)},
		{"exch", atomOp(isa.AtomExch)},
		{"cas", atomOp(isa.AtomCas)},
		{"add", atomOp(isa.AtomAdd)},
		{"inc", atomOp(isa.AtomInc)},
		{"dec", atomOp(isa.AtomDec)},
		{"min", atomOp(isa.AtomMin)},
		{"max", atomOp(isa.AtomMax)},
	}}

	barrierKind = group{
		what:  "kind of barrier",
		words: []modifier{{"sync", mode(isa.ModeSync)}, {"arrive", mode(isa.ModeArrive)}},
	}
	reduction = group{what: "kind of barrier", words: []modifier{{"red", ignore}}}
	reduced   = group{what: "operation", words: []modifier{
		{"popc", mode(isa.ModePopc)}, {"and", mode(isa.ModeAnd)}, {"or", mode(isa.ModeOr)},
	}}
	warpWide = group{what: "scope", words: []modifier{{"warp", ignore}}}
	synced   = group{what: "synchronisation", words: []modifier{{"sync", flag(isa.FlagSync)}}}
	votes    = group{what: "mode", words: []modifier{
		{"all", mode(isa.ModeAll)}, {"any", mode(isa.ModeAny)}, {"uni", mode(isa.ModeUni)}, {
			"ballot",
			mode(isa.ModeBallot),
		},
	}}
	shuffle = group{what: "mode", words: []modifier{
		{"up", mode(isa.ModeUp)}, {"down", mode(isa.ModeDown)}, {"bfly", mode(isa.ModeBfly)}, {
			"idx",
			mode(isa.ModeIdx),
		},
	}}
	fenceOrder = group{
		what:  "memory order",
		words: []modifier{{"sc", ignore}, {"acq_rel", ignore}, {"acquire", ignore}, {"release", ignore}},
	}
	fenceScope = group{what: "scope", words: []modifier{
		{"cta", mode(isa.ModeCTA)}, {"cluster", mode(isa.ModeGPU)}, {"gpu", mode(isa.ModeGPU)}, {
			"sys",
			mode(isa.ModeSys),
		},
	}}
	membarLevel = group{what: "level", words: []modifier{
		{"cta", mode(isa.ModeCTA)}, {"gl", mode(isa.ModeGPU)}, {"sys", mode(isa.ModeSys)},
	}}
	dependency = group{what: "action", words: []modifier{{"wait", ignore}, {"launch_dependents", ignore}}}
	prefetchTo = group{
		what:  "cache",
		words: []modifier{{"L1", ignore}, {"L2", ignore}, {"L2::evict_last", ignore}, {"L2::evict_normal", ignore}},
	}
)

func scoped(m *match) { m.scope = true }

// otherModifiers are modifiers of the manual that no row of the table has, with their features.
var otherModifiers = map[string]string{
	"abs": "min and max of three numbers", "relu": "results clamped to 0",
	"m16n8": "matrices of bytes", "m8n16": "matrices of bytes", "m16n16": "matrices of bytes",
	"sp": "sparse matrices", "mbarrier": "asynchronous barriers", "mbarrier_init": "asynchronous barriers",
	"sync_restrict::shared::cluster": "clusters", "sync_restrict::shared::cta": "clusters", "bulk": "bulk copies",
	"reduce": "asynchronous reductions", "v2": "operations on vectors", "v4": "operations on vectors",
	"v8":  "operations on vectors",
	"oob": "oob", "mmio": "memory-mapped input and output",
	"shared::cluster": "clusters", "proxy": "proxies", "tensormap": "tensor maps", "async": "asynchronous copies",
	"L2::cache_hint": "cache policies", "level::cache_hint": "cache policies",
	"unified": "unified addressing hints", "cluster": "clusters",
	"2dms": "multisampled textures", "a2dms": "multisampled textures", "memory_layout": "the layout of surfaces",
}

// unsupported are the opcodes of the manual that are not in the table, with their features.
var unsupported = map[string]string{
	"brkpt": "debuggers", "alloca": "stack manipulation", "stacksave": "stack manipulation",
	"stackrestore": "stack manipulation",
	"wgmma":        "matrices", "tcgen05": "matrices",
	"mbarrier": "asynchronous barriers", "getctarank": "clusters", "mapa": "clusters",
	"multimem": "multimem", "createpolicy": "cache policies", "setmaxnreg": "register reallocation",
	"tensormap": "tensor maps", "clusterlaunchcontrol": "clusters",
}
