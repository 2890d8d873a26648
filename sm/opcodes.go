package sm

import (
	"cmp"

	"divergo/isa"
)

// Opcodes holds a time for each class of opcodes; 0 selects the time of the pipe that executes the
// instruction. GPGPU-Sim has such times as ptx_opcode_latency and ptx_opcode_initiation, for add,
// max, mul, mad and div. The other classes are ours.
type Opcodes struct {
	IntAdd int `toml:"int_add" range:"0..1000" unit:"core cycles" doc:"integer add, sub, sad, abs, neg; 0: as its pipe" source:"ours"`
	IntMax int `toml:"int_max" range:"0..1000" unit:"core cycles" doc:"integer min, max; 0: as its pipe" source:"ours"`
	IntMul int `toml:"int_mul" range:"0..1000" unit:"core cycles" doc:"integer mul; 0: as its pipe" source:"ours"`
	IntMad int `toml:"int_mad" range:"0..1000" unit:"core cycles" doc:"integer mad, dp4a, dp2a; 0: as its pipe" source:"ours"`
	IntDiv int `toml:"int_div" range:"0..1000" unit:"core cycles" doc:"integer div, rem; 0: as its pipe" source:"ours"`
	FPAdd  int `toml:"fp_add" range:"0..1000" unit:"core cycles" doc:"single- and half-precision add, sub, abs, neg; 0: as its pipe" source:"ours"`
	FPMax  int `toml:"fp_max" range:"0..1000" unit:"core cycles" doc:"single- and half-precision min, max; 0: as its pipe" source:"ours"`
	FPMul  int `toml:"fp_mul" range:"0..1000" unit:"core cycles" doc:"single- and half-precision mul; 0: as its pipe" source:"ours"`
	FPMad  int `toml:"fp_mad" range:"0..1000" unit:"core cycles" doc:"single- and half-precision mad, fma; 0: as its pipe" source:"ours"`
	FPDiv  int `toml:"fp_div" range:"0..1000" unit:"core cycles" doc:"single-precision div; 0: as its pipe" source:"ours"`
	DPAdd  int `toml:"dp_add" range:"0..1000" unit:"core cycles" doc:"double-precision add, sub, abs, neg; 0: as its pipe" source:"ours"`
	DPMax  int `toml:"dp_max" range:"0..1000" unit:"core cycles" doc:"double-precision min, max; 0: as its pipe" source:"ours"`
	DPMul  int `toml:"dp_mul" range:"0..1000" unit:"core cycles" doc:"double-precision mul; 0: as its pipe" source:"ours"`
	DPMad  int `toml:"dp_mad" range:"0..1000" unit:"core cycles" doc:"double-precision mad, fma; 0: as its pipe" source:"ours"`
	DPDiv  int `toml:"dp_div" range:"0..1000" unit:"core cycles" doc:"double-precision div; 0: as its pipe" source:"ours"`
	Logic  int `toml:"logic" range:"0..1000" unit:"core cycles" doc:"shifts, logic, bit fields and counts; 0: as its pipe" source:"ours"`
	Set    int `toml:"set" range:"0..1000" unit:"core cycles" doc:"setp, set, testp, selp, slct; 0: as its pipe" source:"ours"`
	Cvt    int `toml:"cvt" range:"0..1000" unit:"core cycles" doc:"cvt, cvta; 0: as its pipe" source:"ours"`
	SFU    int `toml:"sfu" range:"0..1000" unit:"core cycles" doc:"rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh; 0: as its pipe" source:"ours"`
}

// Of returns the time of an instruction's class; 0: that of its pipe.
func (o *Opcodes) Of(in *isa.Inst) int { return o.times()[in.OpClass()] }

// times returns the times by class.
func (o *Opcodes) times() [isa.NumOpClasses]int {
	return [...]int{
		isa.ClassIntAdd: o.IntAdd, isa.ClassIntMax: o.IntMax, isa.ClassIntMul: o.IntMul, isa.ClassIntMad: o.IntMad,
		isa.ClassIntDiv: o.IntDiv,
		isa.ClassFPAdd:  o.FPAdd, isa.ClassFPMax: o.FPMax, isa.ClassFPMul: o.FPMul, isa.ClassFPMad: o.FPMad,
		isa.ClassFPDiv: o.FPDiv,
		isa.ClassDPAdd: o.DPAdd, isa.ClassDPMax: o.DPMax, isa.ClassDPMul: o.DPMul, isa.ClassDPMad: o.DPMad,
		isa.ClassDPDiv: o.DPDiv,
		isa.ClassLogic: o.Logic, isa.ClassSet: o.Set, isa.ClassCvt: o.Cvt, isa.ClassSFU: o.SFU,
	}
}

// executes holds the classes that instructions of a pipe can have.
var executes = map[isa.Unit][]isa.OpClass{
	isa.UnitALU: {
		isa.ClassIntAdd, isa.ClassIntMax, isa.ClassIntMul, isa.ClassIntMad, isa.ClassFPAdd, isa.ClassFPMax,
		isa.ClassFPMul, isa.ClassFPMad,
		isa.ClassLogic, isa.ClassSet, isa.ClassCvt,
	},
	isa.UnitDPU: {
		isa.ClassDPAdd, isa.ClassDPMax, isa.ClassDPMul, isa.ClassDPMad, isa.ClassLogic, isa.ClassSet,
		isa.ClassCvt,
	},
	isa.UnitSFU: {isa.ClassIntDiv, isa.ClassFPDiv, isa.ClassDPDiv, isa.ClassSFU},
}

// Latencies returns the shortest and the longest latency of a pipe.
func (c *Config) Latencies(unit isa.Unit) (least, most int) {
	least = c.pipeLatency(unit)
	most = least
	times := c.Latency.times()
	for _, class := range executes[unit] {
		if n := times[class]; n != 0 {
			least, most = min(least, n), max(most, n)
		}
	}
	return least, most
}

// pipeLatency returns the latency of instructions whose class sets none.
func (c *Config) pipeLatency(unit isa.Unit) int {
	switch unit {
	case isa.UnitDPU:
		return c.DPLatency
	case isa.UnitSFU:
		return c.SFULatency
	}
	return c.ALULatency
}

// outcomeLatency returns the latency of control instructions.
func (c *Config) outcomeLatency() int { return cmp.Or(c.OutcomeLat, c.ALULatency) }

// latency returns the latency of an instruction other than a memory instruction.
func (c *Config) latency(in *isa.Inst) int {
	if n := c.Latency.times()[in.OpClass()]; n != 0 {
		return n
	}
	return c.pipeLatency(in.Unit())
}

// pace is the latency and the initiation interval of an instruction in its pipe.
type pace struct {
	latency    uint64
	initiation int // 0: the cycles that it takes to enter
}
