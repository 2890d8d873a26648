package rtl

import (
	"fmt"
	"strings"
)

// dependency is a process that must run first, and the wire, queue or storage that demands it.
type dependency struct {
	on  *process
	via *owned
	how string // what the queue or storage has, that demands it
}

// order finds the processes that each process must follow, and sorts the processes.
func (e *elaboration) order() {
	k := e.k
	for _, p := range k.order {
		for _, w := range p.reads {
			if d := w.whdr().driver; d != nil {
				p.after = append(p.after, dependency{d, &w.whdr().owned, ""})
			}
		}
	}
	for _, f := range k.queues {
		if f.ends[0] == nil || f.ends[1] == nil {
			continue
		}
		for _, prod := range f.ends[0].procs {
			for _, cons := range f.ends[1].procs {
				if f.pipe {
					prod.after = append(prod.after, dependency{cons, &f.owned, ", Pipe"})
				}
				if f.flow {
					cons.after = append(cons.after, dependency{prod, &f.owned, ", Flow"})
				}
			}
		}
	}
	for _, h := range k.states {
		inPlace(h.writer, h.readers, &h.owned)
	}
	for _, r := range k.mems {
		inPlace(r.writer, r.readers, &r.owned)
	}
	var loops []string
	k.procs, loops = levelize(k.order)
	for _, l := range loops {
		e.errorf("combinational loop: %s", l)
	}
}

// inPlace makes the readers of a State or Mem written in place run before its writer. Without a
// writer it does nothing.
func inPlace(writer *module, readers []*process, part *owned) {
	if writer == nil {
		return
	}
	for _, p := range readers {
		if p.mod == writer {
			continue
		}
		for _, w := range writer.procs {
			w.after = append(w.after, dependency{p, part, ", in place"})
		}
	}
}

// levelize orders processes by depth-first search, so that each follows its dependencies. A process
// that is already being visited closes a loop. Each loop is described hop by hop, "reader <-(wire)
// driver".
func levelize(procs []*process) (order []*process, loops []string) {
	const (
		visiting = 1
		done     = 2
	)
	for _, p := range procs {
		p.mark = 0
	}
	var trail []dependency // the process visited, and the wire followed from it
	var visit func(p *process)
	visit = func(p *process) {
		p.mark = visiting
		for _, d := range p.after {
			trail = append(trail, dependency{p, d.via, d.how})
			switch d.on.mark {
			case 0:
				visit(d.on)
			case visiting:
				loops = append(loops, describeLoop(trail, d.on))
			}
			trail = trail[:len(trail)-1]
		}
		p.mark = done
		order = append(order, p)
	}
	for _, p := range procs {
		if p.mark == 0 {
			visit(p)
		}
	}
	return order, loops
}

func describeLoop(trail []dependency, start *process) string {
	i := 0
	for trail[i].on != start {
		i++
	}
	var b strings.Builder
	for _, hop := range trail[i:] {
		fmt.Fprintf(&b, "%s <-(%s) ", hop.on.name, hop.via.path+hop.how)
	}
	return b.String() + start.name
}
