package memsys

import "divergo/isa"

// Cause is the reason why an access had to wait (Fung & Aamodt, HPCA 2011, figures 13b and 14b).
// The names are those of GPGPU-Sim.
type Cause uint8

// The causes.
const (
	NoStall       Cause = iota
	BankConflict        // BK_CONF: of shared memory; of constants, more than one address
	Coalescing          // COAL: the access has more than one line
	MSHRFull            // no free MSHR
	NetworkFull         // ICNT: no room for a request
	WriteBackFull       // WB_ICNT: no room for a dirty line
	ReserveFail         // RSRV_FAIL: every way of the set waits, or the MSHR of the line is full
	NumCauses
)

var causeNames = [...]string{"", "BK_CONF", "COAL", "MSHR_FULL", "ICNT_FULL", "WB_ICNT_FULL", "RSRV_FAIL"}

// String returns GPGPU-Sim's name of the cause.
func (c Cause) String() string { return name(causeNames[:], int(c)) }

// Source is the kind of access that had to wait, by the names of GPGPU-Sim. Atomics and fences
// count as stores.
type Source uint8

// The sources.
const (
	GlobalLoad  Source = iota // g_ld
	GlobalStore               // g_st
	LocalLoad                 // l_ld
	LocalStore                // l_st
	ConstLoad                 // c_mem
	SharedAny                 // s_mem
	TextureLoad               // t_mem
	NumSources
)

// ofL1 is the number of sources that the coalescer and the L1 count. They come first.
const ofL1 = TextureLoad

var sourceNames = [...]string{"g_ld", "g_st", "l_ld", "l_st", "c_mem", "s_mem", "t_mem"}

// String returns GPGPU-Sim's name of the source.
func (s Source) String() string { return name(sourceNames[:], int(s)) }

// sourceOf returns the source of an access of the coalescer. Herded reads of textures count as global
// loads.
func sourceOf(kind Kind, space isa.Space) Source {
	switch {
	case space == isa.SpaceConst:
		return ConstLoad
	case space == isa.SpaceLocal && kind == Load:
		return LocalLoad
	case space == isa.SpaceLocal:
		return LocalStore
	case kind == Load:
		return GlobalLoad
	}
	return GlobalStore
}

// Stalls counts the cycles in which accesses were held up, by source and cause (Fung & Aamodt, HPCA
// 2011, figures 13b and 14b).
type Stalls [NumSources][NumCauses]uint64

// Stalls returns the stalls of the unit since reset.
func (u *Unit) Stalls() Stalls {
	var s Stalls
	copy(s[:], u.L1.Count.Q().Stalls[:])
	for source, n := range u.Coalescer.Count.Q().Coalescing {
		s[source][Coalescing] = n
	}
	s[SharedAny][BankConflict] = u.Shared.Count.Q().Conflicts
	if u.Const != nil {
		for cause, n := range u.ConstCache.Count.Q().Stalls {
			s[ConstLoad][cause] += n
		}
		s[ConstLoad][BankConflict] += u.Const.Count.Q().Conflicts
	}
	if u.Texture != nil {
		s[TextureLoad] = u.TextureCache.Count.Q().Stalls
		s[TextureLoad][Coalescing] = u.Texture.Count.Q().Conflicts
	}
	if u.TextureUnit != nil {
		s[TextureLoad][Coalescing] += u.TextureUnit.Count.Q().Conflicts
	}
	return s
}
