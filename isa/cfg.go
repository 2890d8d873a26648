package isa

// Analyze is a placeholder until the analyses land.
func Analyze(p *Program) {
	n := len(p.Insts)
	succ := func(pc int) (s []int) {
		in := &p.Insts[pc]
		if in.Op == OpBra {
			s = append(s, int(in.Target))
		}
		if !in.EndsPath() {
			s = append(s, pc+1)
		}
		if len(s) == 0 || in.Op == OpExit {
			s = append(s, n)
		}
		return s
	}
	pd := make([]map[int]bool, n+1)
	pd[n] = map[int]bool{n: true}
	for i := range n {
		pd[i] = map[int]bool{}
		for j := range n + 1 {
			pd[i][j] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			var m map[int]bool
			for _, s := range succ(i) {
				if m == nil {
					m = map[int]bool{}
					for k := range pd[s] {
						m[k] = true
					}
				} else {
					for k := range m {
						if !pd[s][k] {
							delete(m, k)
						}
					}
				}
			}
			m[i] = true
			if len(m) != len(pd[i]) {
				pd[i], changed = m, true
			}
		}
	}
	for i := range n {
		in := &p.Insts[i]
		in.Reconv, in.Likely = NoPC, NoPC
		if !in.Conditional() {
			continue
		}
		for k := range pd[i] {
			if k != i && k != n && len(pd[k]) == len(pd[i])-1 {
				in.Reconv = uint32(k)
			}
		}
	}
}
