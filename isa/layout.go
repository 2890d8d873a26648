package isa

import (
	"cmp"
	"slices"
)

// Layout reports the places where a program's layout is bad for mechanisms that run the smallest PC
// first. These bring threads together as early as possible if priorities are a topological order
// (Diamos et al., SIMD Re-convergence at Thread Frontiers, MICRO 2011). Each join then lies behind
// the paths to it, and the code behind a loop behind all of the loop. Otherwise threads that are
// sent back, or leave a loop for a place in the middle of it, run separately.
func Layout(p *Program) (told []Warning) {
	if len(p.Blocks) > layoutBlocks {
		return nil
	}
	tree := p.Dominators()
	warn := func(pc uint32, text string) { told = append(told, p.WarningAt(pc, text)) }
	for u := 0; u < len(p.Blocks) && len(told) < layoutTold; u++ {
		for _, v := range p.Blocks[u].Succs {
			if v <= u && !tree.Dominates(v, u) {
				warn(p.Blocks[u].End-1, "a branch back that closes no loop: what runs the smallest PC first meets late, see divergence.ppc.layout")
			}
		}
	}
	for h, body := range bodies(p, tree) {
		if body == nil || len(told) >= layoutTold {
			continue
		}
		first, last := slices.Index(body, true), len(body)-1
		for !body[last] {
			last--
		}
		for b := first; b <= last; b++ {
			// A block that WithLayout added jumps away at once.
			if !body[b] && tree.Dominates(h, b) && !p.Insts[p.Blocks[b].Start].Inserted {
				warn(p.Blocks[h].Start, "a loop with other code inside of it: what runs the smallest PC first meets late, see divergence.ppc.layout")
				break
			}
		}
	}
	slices.SortFunc(told, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col))
	})
	return told
}

// layoutBlocks bounds the blocks of a program that Layout examines, far above real kernels.
// layoutTold bounds its warnings.
const (
	layoutBlocks = 1 << 16
	layoutTold   = 16
)

// layoutSize bounds loops times blocks, far above real kernels. In a larger program the loops are
// not examined.
const layoutSize = 1 << 22

// bodies are the blocks of each natural loop, by its header.
func bodies(p *Program, tree *Dominators) [][]bool {
	list, n := make([][]bool, len(p.Blocks)), 0
	for b, l := range p.Loops(tree) {
		for ; l != nil; l = l.Parent {
			if list[l.Header] == nil {
				if n++; n*len(p.Blocks) > layoutSize {
					return nil
				}
				list[l.Header] = make([]bool, len(p.Blocks))
			}
			list[l.Header][b] = true
		}
	}
	return list
}

// WithLayout returns a copy of an analysed program with its blocks in topological order and each
// loop in one piece. A jump is added where a block does not lie behind the one that runs into it. A
// program with this layout, or with functions, is returned itself. The copy has the warnings of
// Layout that still hold.
func WithLayout(p *Program) *Program {
	if len(p.Funcs) > 0 || p.Origin != nil || len(Layout(p)) == 0 {
		return p
	}
	order := topological(p)
	if order == nil {
		return p
	}
	made := *p
	made.Insts, made.Labels, made.Warnings = nil, slices.Clone(p.Labels), nil
	place := make([]uint32, len(p.Insts)+1)
	for i, b := range order {
		blk := &p.Blocks[b]
		for pc := blk.Start; pc < blk.End; pc++ {
			place[pc] = uint32(len(made.Insts))
			made.Insts, made.Origin = append(made.Insts, p.Insts[pc]), append(made.Origin, pc)
		}
		next := blk.End // the block that it runs into
		if last := &p.Insts[blk.End-1]; last.EndsPath() || int(next) >= len(p.Insts) {
			continue
		}
		if i+1 == len(order) || p.Blocks[order[i+1]].Start != next {
			jump := Inst{
				Op: OpBra, Uniform: true, Inserted: true, Target: next, Reconv: NoPC, Likely: NoPC,
				Text: "bra", Pos: p.Insts[next].Pos, Loc: p.Insts[next].Loc,
			}
			jump.Exec = lanes.codes[jump.form()]
			made.Insts, made.Origin = append(made.Insts, jump), append(made.Origin, next)
		}
	}
	place[len(p.Insts)] = uint32(len(made.Insts))
	for i := range made.Insts {
		if in := &made.Insts[i]; in.Jumps() {
			in.Target = place[in.Target]
		}
	}
	for i := range made.Labels {
		made.Labels[i].PC = place[made.Labels[i].PC]
	}
	slices.SortStableFunc(made.Labels, func(a, b Label) int { return cmp.Compare(a.PC, b.PC) })
	made.setLanding(place)
	made.flow() // class, uniformity and live registers are unchanged
	made.Warnings = Layout(&made)
	return &made
}

// topological lists the blocks so that each lies behind its predecessors, except along back edges,
// and the blocks of a loop are in a row. Unreachable blocks are last.
func topological(p *Program) (order []int) {
	tree := p.Dominators()
	loops := bodies(p, tree)
	if loops == nil {
		return nil
	}
	succs := make([][]int, len(p.Blocks))
	for b := range succs {
		succs[b] = slices.Clone(p.Blocks[b].Succs)
		slices.Reverse(succs[b]) // the fall-through successor comes right behind its block
	}
	list := postorder(0, succs)
	slices.Reverse(list)
	reached := make([]bool, len(p.Blocks))
	for _, b := range list {
		reached[b] = true
	}
	for b := range p.Blocks {
		if !reached[b] {
			list = append(list, b)
		}
	}
	done := make([]bool, len(p.Blocks))
	var put func(list []int, header int)
	put = func(list []int, header int) {
		for _, b := range list {
			switch {
			case done[b]:
			case loops[b] != nil && b != header:
				put(slices.DeleteFunc(slices.Clone(list), func(x int) bool { return !loops[b][x] }), b)
			default:
				done[b] = true
				order = append(order, b)
			}
		}
	}
	put(list, -1)
	return order
}
