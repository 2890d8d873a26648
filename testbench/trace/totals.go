package trace

import (
	"fmt"

	"divergo/isa"
	"divergo/memsys"
)

// Totals are statistics counted from the records of a trace.
type Totals struct {
	Instructions, Lanes uint64
	Active              [isa.MaxLanes + 1]uint64 // instructions by active lanes
	Inserted            uint64
	Branches, Divergent uint64
	Pushes, Pops        uint64
	Spills, Fills       uint64
	Releases            uint64
	Accesses, Lines     uint64
	Found               [NoLookup + 1]uint64 // loads by the result of their lookup in the L1
	Reconverged, Merged uint64               // times that threads of a warp, or of several, came together
	Waits               [NumReasons]uint64   // slot cycles
	lanes               int
}

// Add counts a record.
func (t *Totals) Add(r *Record) {
	switch r.Kind {
	case Issue:
		n := r.Lanes()
		t.Instructions++
		t.Lanes += uint64(n)
		t.Active[n]++
	case Inserted:
		t.Inserted++
	case Branch:
		diverges := r.Diverges()
		if diverges {
			t.Divergent++
		}
		if diverges || !r.Always {
			t.Branches++
		}
	case Push:
		t.Pushes++
	case Pop:
		t.Pops++
	case Reconverge:
		t.Reconverged++
	case Merge:
		t.Merged++
	case Spill:
		t.Spills++
	case Fill:
		t.Fills++
	case Release:
		if r.First {
			t.Releases++
		}
	case Wait:
		t.Waits[r.Reason%NumReasons] += r.Cycle - r.From
	case Request:
		if r.First {
			t.Accesses++
		}
		if r.Access != memsys.Fence {
			t.Lines++
		}
	case Reply:
		if r.Access == memsys.Load && !r.Partial {
			t.Found[r.Found%(NoLookup+1)]++
		}
	}
}

// Count counts all records of a trace.
func (r *Reader) Count() (*Totals, error) {
	t := &Totals{lanes: r.Header.Lanes}
	for rec, err := range r.Records(Query{}) {
		if err != nil {
			return nil, err
		}
		t.Add(rec)
	}
	return t, nil
}

// Stats returns the totals under the names of the run's statistics, as Summary has them. Those that
// only a trace has come last.
func (t *Totals) Stats() []Stat {
	efficiency := 0.0
	if t.Instructions > 0 {
		efficiency = float64(t.Lanes) / float64(t.Instructions*uint64(t.lanes))
	}
	list := []Stat{
		{"warp_instructions", fmt.Sprint(t.Instructions)},
		{"thread_instructions", fmt.Sprint(t.Lanes)},
		{"simd_efficiency", fmt.Sprint(efficiency)},
		{"active_lane_histogram", fmt.Sprint(t.Active[:t.lanes+1])},
		{"branches", fmt.Sprint(t.Branches)},
		{"divergent_branches", fmt.Sprint(t.Divergent)},
		{"stack_pushes", fmt.Sprint(t.Pushes)},
		{"stack_pops", fmt.Sprint(t.Pops)},
		{"stack_spills", fmt.Sprint(t.Spills)},
		{"stack_fills", fmt.Sprint(t.Fills)},
		{"inserted_instructions", fmt.Sprint(t.Inserted)},
		{"barriers_released", fmt.Sprint(t.Releases)},
		{"mem_instructions", fmt.Sprint(t.Accesses)},
		{"mem_lines", fmt.Sprint(t.Lines)},
		{"l1_loads", fmt.Sprint(t.Found[memsys.Hit] + t.Found[memsys.Miss] + t.Found[memsys.Merge] + t.Found[NoLookup])},
		{"l1_load_hits", fmt.Sprint(t.Found[memsys.Hit])},
		{"l1_load_misses", fmt.Sprint(t.Found[memsys.Miss])},
		{"l1_load_merges", fmt.Sprint(t.Found[memsys.Merge])},
		{"reconvergences", fmt.Sprint(t.Reconverged)},
		{"merges", fmt.Sprint(t.Merged)},
	}
	for reason, n := range t.Waits {
		list = append(list, Stat{"wait_" + Reason(reason).String(), fmt.Sprint(n)})
	}
	return list
}
