package ptx

import "divergo/isa"

// Asynchronous copies from global to shared memory (section 9.7.8.22).

var (
	async  = required(one("async", ignore))
	copies = []*family{
		row("cp", "9.7.8.22.1", isa.OpCopy, "[dst] [src] cp-size src-size?", none, async,
			required(only("ca cg", loadCache)),
			required(only("shared shared::cta", stateSpace)), required(one("global", ignore)), prefetchL2),
		row("cp", "9.7.8.22.2", isa.OpCopyCommit, "", none, async, required(one("commit_group", ignore))),
		row("cp", "9.7.8.22.3", isa.OpCopyWait, "N", none, async, required(one("wait_group", ignore))),
		row("cp", "9.7.8.22.3", isa.OpCopyWait, "", none, async, required(one("wait_all", mode(isa.ModeAll)))),
	}
)

// copy lowers the operands of cp.async and of its wait_group.
func (o *operands) copy() {
	ops := o.in.operands
	if o.out.Op == isa.OpCopyWait {
		want := 1
		if o.out.Mode == isa.ModeAll {
			want = 0
		}
		if len(ops) != want {
			o.errorf(o.in.name.pos, CodeOperand, "%s takes %s, found %d", o.in.opcode(), counted(want, "operand"),
				len(ops))
		} else if want == 1 {
			o.src(o.constant(&ops[0], "a number of groups"))
		}
		return
	}
	if len(ops) != 3 && len(ops) != 4 {
		o.errorf(o.in.name.pos, CodeOperand,
			"%s takes 4 operands [dst], [src], cp-size, {src-size or ignore-src}, found %d", o.in.opcode(), len(ops))
		return
	}
	o.memory(&ops[0])
	to := o.out.Off
	o.out.Space, o.out.Off = isa.SpaceGlobal, 0
	o.memory(&ops[1])
	o.out.Space, o.out.Off, o.out.From = isa.SpaceShared, to, o.out.Off
	size := o.constant(&ops[2], "a size in bytes").Imm
	switch {
	case size != 16 && o.out.Cache == isa.CacheGlobal:
		o.errorf(ops[2].pos, CodeRange, "%s copies 16 bytes, found %d", o.in.opcode(), size)
	case size != 4 && size != 8 && size != 16:
		o.errorf(ops[2].pos, CodeRange, "%s copies 4, 8 or 16 bytes, found %d", o.in.opcode(), size)
	}
	o.out.Type, o.out.Vec = isa.B32, uint8(size/4)
	if len(ops) == 3 {
		return
	}
	if x := &ops[3]; x.kind == nameOperand {
		if sym := o.scope.lookup(x.name); sym != nil && sym.reg != nil && sym.reg.typ == isa.Pred {
			o.src(o.source(x, isa.Pred))
			return
		}
	}
	o.src(o.source(&ops[3], isa.U32))
}

// constant lowers an operand with a value known at lowering.
func (o *operands) constant(x *operand, what string) isa.Operand {
	if x.kind != constOperand {
		o.errorf(x.pos, CodeOperand, "%s wants %s as a constant, found %s", o.in.opcode(), what, kindName(x))
		return isa.Operand{Kind: isa.OperandImm, Imm: 16}
	}
	return o.source(x, isa.U32)
}
