package testbench

import (
	"slices"

	"divergo/internal/papers"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
)

// Stat is one statistic of a run.
type Stat struct {
	Name   string // as in results
	Word   string // GPGPU-Sim's name, if there is one
	Unit   string
	Doc    string // meaning, in one line
	Source string // origin of the definition
	value  func(c *Counters) any
}

// Value computes the statistic: an uint64, a float64, a []uint64, or a
// map[string]uint64.
func (s Stat) Value(c *Counters) any { return s.value(c) }

// These are the sources, as the table prints them.
const (
	gpgpusim = "GPGPU-Sim 2.1.1b"
	capri    = "Rhu & Erez, ISCA 2012"
	dwf      = "Fung et al., MICRO 2007"
	ours     = "this model"
)

// Stats lists all statistics, in the order of results. The statistics that mechanisms declare come
// last; they are 0 under other mechanisms.
func Stats() []Stat {
	list := slices.Clip(stats)
	for _, m := range divergence.Mechanisms() {
		for _, c := range m.Counters() {
			list = append(list, Stat{
				Name: c.Name, Unit: c.Unit, Doc: c.Doc, Source: c.Source,
				value: func(of *Counters) any {
					if of.mechanism != m.Name {
						return uint64(0)
					}
					return c.Value(of.Mechanism)
				},
			})
		}
	}
	return list
}

var stats = []Stat{
	{
		"cycles", "gpu_sim_cycle", "core cycles", "from the launch to the end of the last CTA, summed over launches",
		gpgpusim,
		func(c *Counters) any { return c.Cycles },
	},
	{
		"warp_instructions", "", "", "warp instructions issued", papers.SLP.At("N of warps"),
		func(c *Counters) any { return c.Instructions },
	},
	{
		"thread_instructions", "gpu_sim_insn", "", "active lanes of all issued warp instructions", gpgpusim,
		func(c *Counters) any { return c.Lanes },
	},
	{
		"ipc", "gpu_ipc", "thread instructions / core cycle", "thread_instructions / cycles", gpgpusim,
		func(c *Counters) any { return ratio(c.Lanes, c.Cycles) },
	},
	{
		"warp_ipc", "", "warp instructions / core cycle", "warp_instructions / cycles", ours,
		func(c *Counters) any { return ratio(c.Instructions, c.Cycles) },
	},
	{
		"simd_efficiency", "", "fraction",
		"active lanes of an issued warp instruction / warp size; the activity factor of Huang et al., SIMD_util of Rhu & Erez", papers.TBC.At("section 6"),
		func(c *Counters) any { return ratio(c.Lanes, c.Instructions*uint64(c.warpSize)) },
	},
	{
		"active_lane_histogram", "W1 ... W32", "warp instructions",
		"issued warp instructions by number of active lanes, from 0 to the warp size", papers.TBC.At("figure 13"),
		func(c *Counters) any { return append([]uint64(nil), c.Active[:c.warpSize+1]...) },
	},
	{
		"cycle_breakdown", "W0_Idle, W0_Mem, Stall", "SM cycles",
		"what each SM, or each of its sub-cores, does in each cycle: Issue; Stall (a warp is ready, the next stage is occupied); W0_Mem (none ready, a memory access is pending); W0_Idle (none ready, none pending); Empty (no threads)", papers.TBC.At("figures 13 and 14"),
		cycleBreakdown,
	},
	{
		"issue_breakdown", "W1-4 ... W29-32", "SM cycles",
		"of the cycles of Issue, by active lanes; those of inserted instructions are among them",
		papers.TBC.At("figures 13 and 14"),
		issueBreakdown,
	},
	{
		"idle_breakdown", "", "SM cycles",
		"of the cycles of W0_Idle, by the first of these that holds a warp back: sync (others of its CTA, at a branch or a reconvergence point); barrier; branch (the outcome of a control instruction); fetch (no instruction in the I-buffer, or warps are being started or formed); dependence (results of earlier instructions)", ours,
		idleBreakdown,
	},
	{
		"skipped_cycles", "", "SM cycles",
		"cycles that issued warps have not needed to enter a pipe: those of groups of lanes of which none was active (sm.skip)", ours,
		func(c *Counters) any { return c.Skipped },
	},
	{
		"interwoven_instructions", "", "warp instructions",
		"issued in the cycle of another one, in lanes that it leaves (sm.interweave)", "Brunie et al., ISCA 2012",
		func(c *Counters) any { return c.Beside },
	},
	{
		"result_bus_waits", "", "SM cycles",
		"cycles that instructions have waited to start because a slower one of their pipe has its result in the same cycle (sm.latency)", ours,
		func(c *Counters) any { return c.BusWaits },
	},
	{
		"writeback_waits", "", "results x SM cycles",
		"results at the end of their pipe that found every write-back port taken", papers.TBC.At("section 2.2.1"),
		func(c *Counters) any { return c.PortWaits },
	},

	{
		"branches", "", "", "conditional branches executed by a warp", papers.SLP.At("figure 6"),
		func(c *Counters) any { return c.Divergence.Branches },
	},
	{
		"divergent_branches", "", "", "branches with lanes on both sides", papers.SLP.At("figure 6"),
		func(c *Counters) any { return c.Divergence.Divergent },
	},
	{
		"stack_pushes", "", "entries", "entries pushed on reconvergence stacks", papers.Cost.Short(),
		func(c *Counters) any { return c.Divergence.Pushes },
	},
	{
		"stack_pops", "", "entries", "entries popped", papers.Cost.Short(),
		func(c *Counters) any { return c.Divergence.Pops },
	},
	{
		"stack_max_depth", "", "entries", "deepest reconvergence stack", papers.TBC.At("table 3"),
		func(c *Counters) any { return c.Divergence.MaxDepth },
	},
	{
		"stack_spills", "", "groups of 4 entries", "entries moved to memory", papers.Cost.Short(),
		func(c *Counters) any { return c.Divergence.Spills },
	},
	{
		"stack_fills", "", "groups of 4 entries", "entries moved back", papers.Cost.Short(),
		func(c *Counters) any { return c.Divergence.Fills },
	},
	{
		"inserted_instructions", "", "warp instructions",
		"instructions issued that the PTX does not have, for reconvergence, calls and printf; counted nowhere else",
		papers.Cost.Short(),
		func(c *Counters) any { return c.Inserted },
	},
	{
		"barriers_released", "", "", "barriers that let their warps go", ours,
		func(c *Counters) any { return c.Divergence.BarReleases },
	},
	{
		"barriers_diverged", "", "", "arrivals of a warp of which not all live threads were active", ours,
		func(c *Counters) any { return c.Divergence.BarDiverged },
	},

	{
		"absent_lane_reads", "", "lanes",
		"lanes of shuffles that read a lane which takes no part: undefined in PTX (sm.absent_lane)", ours,
		func(c *Counters) any { return c.Absent.Reads },
	},
	{
		"absent_members", "", "lanes",
		"threads that have exited or never were, in the member masks of votes, matches and reductions", ours,
		func(c *Counters) any { return c.Absent.Members },
	},

	{
		"compacted_entries", "", "entries", "entries of block-wide stacks that the thread compactor made warps of",
		papers.TBC.At("section 3.3"),
		func(c *Counters) any { return c.Divergence.Compaction.Entries },
	},
	{
		"compaction_static_warps", "", "warps", "static warps that had a thread in them: NW_NoTBC, summed",
		papers.SLP.At("section 3.2"),
		func(c *Counters) any { return c.Divergence.Compaction.Static },
	},
	{
		"compaction_warps", "", "warps", "warps made of them: NW_TBC, summed", papers.SLP.At("section 3.2"),
		func(c *Counters) any { return c.Divergence.Compaction.Warps },
	},
	{
		"compaction_ideal_warps", "", "warps", "warps that their threads would fill in any lanes: NW_ideal, summed",
		papers.SLP.At("equation 1"),
		func(c *Counters) any { return c.Divergence.Compaction.Ideal },
	},
	{
		"sync_stalls_branch", "", "warp cycles", "cycles that warps of a CTA waited at a branch for others",
		papers.TBC.At("section 3"),
		func(c *Counters) any { return c.Divergence.Compaction.AtBranch },
	},
	{
		"sync_stalls_join", "", "warp cycles", "cycles that warps of a CTA waited at a reconvergence point for others",
		papers.TBC.At("section 3"),
		func(c *Counters) any { return c.Divergence.Compaction.AtJoin },
	},
	{
		"capri_branches", "", "", "branches of a CTA whose adequacy was predicted", capri,
		func(c *Counters) any { return c.Divergence.Prediction.Branches },
	},
	{
		"capri_correct", "", "", "of these, the ones predicted correctly", capri,
		func(c *Counters) any { return c.Divergence.Prediction.Correct },
	},
	{
		"capri_misses", "", "", "of these, the ones that had no entry in the table and were bypassed", capri,
		func(c *Counters) any { return c.Divergence.Prediction.Misses },
	},
	{
		"capri_compactions", "", "", "of these, the ones at which all warps waited and were compacted", capri,
		func(c *Counters) any { return c.Divergence.Prediction.Compacts },
	},
	{
		"capri_bypasses", "", "warps", "warps that went on at a branch without waiting", capri,
		func(c *Counters) any { return c.Divergence.Prediction.Bypasses },
	},
	{
		"capri_accuracy", "", "fraction", "capri_correct / capri_branches", capri,
		func(c *Counters) any {
			return ratio(c.Divergence.Prediction.Correct, c.Divergence.Prediction.Branches)
		},
	},
	{
		"pool_warps", "", "warps", "warps entered into the pool of dynamic warp formation", dwf,
		func(c *Counters) any { return c.Divergence.Formation.Formed },
	},
	{
		"pool_joins", "", "", "groups of lanes that joined a warp of the pool", dwf,
		func(c *Counters) any { return c.Divergence.Formation.Joined },
	},
	{
		"pool_conflicts", "", "", "groups of lanes of which some were taken in that warp", dwf,
		func(c *Counters) any { return c.Divergence.Formation.Conflicts },
	},
	{
		"pool_fragmented", "", "", "of these, the ones with no more threads together than a warp has lanes", dwf,
		func(c *Counters) any { return c.Divergence.Formation.Fragmented },
	},
	{
		"pool_evictions", "", "", "entries of the PC-warp table replaced although their warp could still be joined",
		dwf,
		func(c *Counters) any { return c.Divergence.Formation.Evicted },
	},

	{
		"herded_branches", "", "", "branches of warps that were herded", papers.Herding.At("section V"),
		func(c *Counters) any { return c.Herd.Branches },
	},
	{
		"herded_divergent_branches", "", "",
		"of these, with lanes that wanted to go the other way: they would have diverged",
		papers.Herding.At("section III"),
		func(c *Counters) any { return c.Herd.Diverged },
	},
	{
		"herded_lanes", "", "lanes", "lanes that herded branches have sent where they did not want to go",
		papers.Herding.At("section III"),
		func(c *Counters) any { return c.Herd.Forced },
	},
	{
		"herded_loads", "", "", "loads of warps that were herded", papers.Herding.At("section V"),
		func(c *Counters) any { return c.Coalescer.Herd.Loads },
	},
	{
		"herded_diverted_lanes", "", "lanes", "lanes that herded loads have sent to another address",
		papers.Herding.At("section IV"),
		func(c *Counters) any { return c.Coalescer.Herd.Diverted },
	},
	{
		"herded_requests_saved", "", "blocks",
		"blocks of memory that the lanes of herded loads would have read, less those that they have",
		papers.Herding.At("section IV"),
		func(c *Counters) any { return c.Coalescer.Herd.Saved },
	},

	{
		"mem_instructions", "", "", "global and local memory instructions of warps, and moves of stack entries", ours,
		func(c *Counters) any { return c.Coalescer.Accesses },
	},
	{
		"mem_lines", "", "", "cache lines that they ask the L1 for", papers.TBC.At("section 6.2"),
		func(c *Counters) any { return c.Coalescer.Lines },
	},
	{
		"mem_table_full", "", "", "accesses that found every entry of the coalescer in use", ours,
		func(c *Counters) any { return c.Coalescer.TableFull },
	},
	{
		"mem_stalls", "gpgpu_stall_shd_mem", "SM cycles",
		"cycles in which an access was held up, by source and cause: sources are g_ld and g_st (global loads and stores), l_ld and l_st (local ones), c_mem (const), t_mem (texture) and s_mem (shared); atomics and fences count as stores; causes are BK_CONF (bank conflict); COAL (more than one line); MSHR_FULL; ICNT_FULL; WB_ICNT_FULL (no room to write a line back); RSRV_FAIL (no way of the set to reserve)", papers.TBC.At("figures 13b and 14b"),
		memStalls,
	},
	{
		"shared_accesses", "gpgpu_n_shmem_insn", "", "shared-memory instructions of warps", gpgpusim,
		func(c *Counters) any { return c.Shared.Accesses },
	},
	{
		"shared_cycles", "", "SM cycles", "cycles in which the banks were in use", ours,
		func(c *Counters) any { return c.Shared.Passes },
	},
	{
		"shared_bank_conflicts", "gpgpu_n_shmem_bkconflict", "SM cycles",
		"cycles after which a group of lanes was not done", gpgpusim,
		func(c *Counters) any { return c.Shared.Conflicts },
	},

	{
		"l1_loads", "", "lines", "loads that reached the L1", gpgpusim,
		func(c *Counters) any { return c.L1.Loads },
	},
	{
		"l1_load_hits", "", "lines", "loads that hit", gpgpusim,
		func(c *Counters) any { return c.L1.LoadHits },
	},
	{
		"l1_load_misses", "", "lines", "loads that missed and sent a request", gpgpusim,
		func(c *Counters) any { return c.L1.LoadMisses },
	},
	{
		"l1_sector_misses", "", "lines", "of l1_load_misses, loads of other sectors of a line that was there", ours,
		func(c *Counters) any { return c.L1.SectorMisses },
	},
	{
		"l1_load_merges", "", "lines", "loads that joined a miss in flight", gpgpusim,
		func(c *Counters) any { return c.L1.Merges },
	},
	{
		"l1_hit_rate", "", "fraction", "l1_load_hits / l1_loads", gpgpusim,
		func(c *Counters) any { return ratio(c.L1.LoadHits, c.L1.Loads) },
	},
	{
		"l1_stores", "", "lines", "stores that reached the L1", gpgpusim,
		func(c *Counters) any { return c.L1.Stores },
	},
	{
		"l1_store_hits", "", "lines", "stores that hit", gpgpusim,
		func(c *Counters) any { return c.L1.StoreHits },
	},
	{
		"l1_atomics", "", "lines", "atomics and reductions that passed the L1", gpgpusim,
		func(c *Counters) any { return c.L1.Atomics },
	},
	{
		"l1_bypasses", "", "lines", "loads and stores with .cg or .volatile", ours,
		func(c *Counters) any { return c.L1.Bypasses },
	},
	{
		"l1_fences", "", "", "fences, and write-backs of the whole cache at the end of a kernel", ours,
		func(c *Counters) any { return c.L1.Fences },
	},
	{
		"l1_evictions", "", "lines", "clean lines that made room", gpgpusim,
		func(c *Counters) any { return c.L1.Evictions },
	},
	{
		"l1_write_backs", "", "lines", "dirty lines sent to the L2", gpgpusim,
		func(c *Counters) any { return c.L1.WriteBacks },
	},

	{
		"const_accesses", "gpgpu_n_const_insn", "", "loads of constants and parameters by warps, at the constant cache (const.size)", gpgpusim,
		func(c *Counters) any { return c.Const.Accesses },
	},
	{
		"const_reads", "", "lines", "their distinct addresses, each of which reads the cache", papers.TBC.At("section 2.2.1"),
		func(c *Counters) any { return c.Const.Places },
	},
	{
		"const_hits", "", "lines", "reads that hit", gpgpusim,
		func(c *Counters) any { return c.ConstCache.Hits },
	},
	{
		"const_misses", "", "lines", "reads that missed and sent a request", gpgpusim,
		func(c *Counters) any { return c.ConstCache.Misses },
	},
	{
		"const_merges", "", "lines", "reads that joined a miss in flight", gpgpusim,
		func(c *Counters) any { return c.ConstCache.Merges },
	},
	{
		"const_hit_rate", "", "fraction", "const_hits / const_reads", gpgpusim,
		func(c *Counters) any { return ratio(c.ConstCache.Hits, c.ConstCache.Reads) },
	},
	{
		"const_evictions", "", "lines", "lines that made room", gpgpusim,
		func(c *Counters) any { return c.ConstCache.Evictions },
	},

	{
		"texture_accesses", "gpgpu_n_tex_insn", "", "loads of texels by warps, and of ld.global.nc, at the texture cache (texture.size), without those of the texture unit", gpgpusim,
		func(c *Counters) any { return c.Texture.Accesses },
	},
	{
		"texture_reads", "", "lines", "their distinct lines, and those that the texture unit asks for; each reads the cache", gpgpusim,
		func(c *Counters) any { return c.Texture.Places + c.TextureUnit.Places },
	},
	{
		"texture_hits", "", "lines", "reads that hit", gpgpusim,
		func(c *Counters) any { return c.TextureCache.Hits },
	},
	{
		"texture_misses", "", "lines", "reads that missed and sent a request", gpgpusim,
		func(c *Counters) any { return c.TextureCache.Misses },
	},
	{
		"texture_merges", "", "lines", "reads that joined a miss in flight", gpgpusim,
		func(c *Counters) any { return c.TextureCache.Merges },
	},
	{
		"texture_hit_rate", "", "fraction", "texture_hits / texture_reads", gpgpusim,
		func(c *Counters) any { return ratio(c.TextureCache.Hits, c.TextureCache.Reads) },
	},
	{
		"texture_evictions", "", "lines", "lines that made room", gpgpusim,
		func(c *Counters) any { return c.TextureCache.Evictions },
	},
	{
		"texture_fetches", "", "", "tex, tld4 and accesses to surfaces of warps at the texture unit (texture.fetch)", ours,
		func(c *Counters) any { return c.TextureUnit.Fetches },
	},
	{
		"texture_surfaces", "", "", "suld, sust and sured of warps whose addresses the texture unit has computed, part of texture_fetches", ours,
		func(c *Counters) any { return c.TextureUnit.Surfaces },
	},
	{
		"texture_groups", "", "", "groups of lanes that the texture unit has addressed, once for each pass", ours,
		func(c *Counters) any { return c.TextureUnit.Groups },
	},
	{
		"texture_texels", "", "texels", "texels that the texture unit has read, for each lane by itself", ours,
		func(c *Counters) any { return c.TextureUnit.Texels },
	},
	{
		"texture_handles", "", "", "descriptions of textures and samplers that the texture unit has fetched", ours,
		func(c *Counters) any { return c.TextureUnit.Handles },
	},
	{
		"texture_busy", "", "core cycles", "cycles in which the texture unit had an instruction, summed over SMs", ours,
		func(c *Counters) any { return c.TextureUnit.Busy },
	},

	{
		"icache_fetches", "", "lines", "lines that fetches look up in the instruction cache (icache.size); one that waits for its line may look it up again", ours,
		func(c *Counters) any { return c.ICache.Reads },
	},
	{
		"icache_hits", "", "lines", "fetches that hit", ours,
		func(c *Counters) any { return c.ICache.Hits },
	},
	{
		"icache_misses", "", "lines", "fetches that missed and sent a request", ours,
		func(c *Counters) any { return c.ICache.Misses },
	},
	{
		"icache_merges", "", "lines", "fetches of a line in flight", ours,
		func(c *Counters) any { return c.ICache.Merges },
	},
	{
		"icache_hit_rate", "", "fraction", "icache_hits / icache_fetches", ours,
		func(c *Counters) any { return ratio(c.ICache.Hits, c.ICache.Reads) },
	},
	{
		"icache_evictions", "", "lines", "lines that made room", ours,
		func(c *Counters) any { return c.ICache.Evictions },
	},
	{
		"icache_prefetches", "", "lines", "lines requested before a fetch wanted them (icache.prefetch)", ours,
		func(c *Counters) any { return c.ICache.Prefetches },
	},
	{
		"icache_prefetch_hits", "", "lines", "prefetched lines that a fetch wanted, some while they were in flight", ours,
		func(c *Counters) any { return c.ICache.PrefetchHits },
	},
	{
		"icache_stalls", "", "SM cycles", "cycles in which a fetch waited for an MSHR, a way or room for its request", ours,
		func(c *Counters) any {
			var n uint64
			for _, cycles := range c.ICache.Stalls {
				n += cycles
			}
			return n
		},
	},

	{
		"icnt_request_bytes", "", "bytes", "from the SMs to the L2", papers.TBC.At("figure 16"),
		func(c *Counters) any { return c.Requests.Bytes },
	},
	{
		"icnt_response_bytes", "", "bytes", "from the L2 to the SMs", papers.TBC.At("figure 16"),
		func(c *Counters) any { return c.Responses.Bytes },
	},
	{
		"icnt_packets", "", "packets", "in both directions", gpgpusim,
		func(c *Counters) any { return c.Requests.Packets + c.Responses.Packets },
	},
	{
		"icnt_flits", "", "flits", "in both directions", gpgpusim,
		func(c *Counters) any { return c.Requests.Flits + c.Responses.Flits },
	},

	{
		"l2_accesses", "L2_total_cache_accesses", "lines", "loads, stores and atomics at the L2", gpgpusim,
		func(c *Counters) any { return c.L2.Loads + c.L2.Stores + c.L2.Atomics },
	},
	{
		"l2_hits", "", "lines", "accesses done when they came", gpgpusim,
		func(c *Counters) any { return c.L2.Hits },
	},
	{
		"l2_misses", "L2_total_cache_misses", "lines", "accesses that fetched a line from the DRAM, or sectors of it", gpgpusim,
		func(c *Counters) any { return c.L2.Misses },
	},
	{
		"l2_sector_misses", "", "lines", "of l2_misses, for a line that was there in part, or on its way", ours,
		func(c *Counters) any { return c.L2.SectorMisses },
	},
	{
		"l2_merges", "", "lines", "accesses that joined a miss in flight", gpgpusim,
		func(c *Counters) any { return c.L2.Merges },
	},
	{
		"l2_hit_rate", "", "fraction", "l2_hits / l2_accesses", gpgpusim,
		func(c *Counters) any { return ratio(c.L2.Hits, c.L2.Loads+c.L2.Stores+c.L2.Atomics) },
	},
	{
		"l2_write_backs", "", "lines", "dirty lines sent to the DRAM", gpgpusim,
		func(c *Counters) any { return c.L2.WriteBacks },
	},
	{
		"l2_evictions", "", "lines", "clean lines that made room", gpgpusim,
		func(c *Counters) any { return c.L2.Evictions },
	},
	{
		"l2_flushes", "", "", "write-backs of a whole slice at the end of a kernel", ours,
		func(c *Counters) any { return c.L2.Flushes },
	},

	{
		"dram_reads", "n_rd", "requests", "reads", gpgpusim,
		func(c *Counters) any { return c.DRAM.Reads },
	},
	{
		"dram_writes", "n_write", "requests", "writes", gpgpusim,
		func(c *Counters) any { return c.DRAM.Writes },
	},
	{
		"dram_bytes", "", "bytes", "moved on the data buses", gpgpusim,
		func(c *Counters) any { return c.DRAM.Bytes },
	},
	{
		"dram_row_hits", "", "requests", "requests whose row was open", gpgpusim,
		func(c *Counters) any { return c.DRAM.RowHits },
	},
	{
		"dram_row_hit_rate", "", "fraction", "dram_row_hits / (dram_reads + dram_writes)", gpgpusim,
		func(c *Counters) any { return ratio(c.DRAM.RowHits, c.DRAM.RowHits+c.DRAM.RowMisses) },
	},
	{
		"dram_activates", "n_act", "", "row activations", gpgpusim,
		func(c *Counters) any { return c.DRAM.Activates },
	},
	{
		"dram_precharges", "n_pre", "", "row precharges", gpgpusim,
		func(c *Counters) any { return c.DRAM.Precharges },
	},
	{
		"dram_refreshes", "", "", "refreshes of all banks of a channel", ours,
		func(c *Counters) any { return c.DRAM.Refreshes },
	},
	{
		"dram_drains", "", "", "turns of a channel from reads to writes at the high watermark", ours,
		func(c *Counters) any { return c.DRAM.Drains },
	},
	{
		"dram_queue_full", "", "DRAM cycles", "cycles in which a request waited for a place in a channel's queue",
		gpgpusim,
		func(c *Counters) any { return c.DRAM.QueueFull },
	},
	{
		"dram_unmapped", "", "bursts", "bursts to addresses that do not exist; 0 unless the machine is broken", ours,
		func(c *Counters) any { return c.DRAM.Unmapped },
	},
	{
		"dram_bw_util", "bw_util", "fraction",
		"cycles of the data buses in use, of all; the write-back behind the last CTA included", gpgpusim,
		func(c *Counters) any { return ratio(c.DRAM.BusCycles, c.DRAMCycles) },
	},
}

// ratio returns a/b, or 0 if nothing was counted.
func ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func cycleBreakdown(c *Counters) any {
	by := c.named(sm.ClassMem, sm.ClassIssue)
	by["W0_Idle"], by["Issue"] = c.Classes.Idle(), c.Classes.Issue()
	return by
}

func issueBreakdown(c *Counters) any { return c.named(sm.ClassIssue, sm.NumClasses) }

func idleBreakdown(c *Counters) any { return c.named(0, sm.ClassMem) }

// named returns the cycles of a range of classes, by name.
func (c *Counters) named(from, to sm.Class) map[string]uint64 {
	by := make(map[string]uint64)
	for class := from; class < to; class++ {
		if name := class.Name(c.warpSize); name != "" {
			by[name] = c.Classes[class]
		}
	}
	return by
}

// memStalls returns the matrix of stalls without its zeros, by source and cause.
func memStalls(c *Counters) any {
	by := make(map[string]uint64)
	for source, causes := range c.Stalls {
		for cause, n := range causes {
			if n > 0 {
				by[memsys.Source(source).String()+"."+memsys.Cause(cause).String()] = n
			}
		}
	}
	return by
}
