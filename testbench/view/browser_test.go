package view_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/browser"
	"divergo/internal/need"
	"divergo/memsys"
	"divergo/testbench/trace"
	"divergo/testbench/view"
)

// shown is a page in a browser.
type shown struct {
	*browser.Page
	t *testing.T
}

// open opens a page. The query goes behind its address.
func open(t *testing.T, page []byte, query string) shown {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, page, 0o600))
	p := browser.Open(t, "file://"+file+query, 1300, 900)
	p.Wait(`document.documentElement.dataset.ready === "yes"`)
	return shown{p, t}
}

// number returns the value of an expression.
func (p shown) number(expression string) int {
	p.t.Helper()
	return browser.Get[int](p.Page, expression)
}

// holds checks a condition.
func (p shown) holds(condition string) {
	p.t.Helper()
	assert.True(p.t, browser.Get[bool](p.Page, condition), condition)
}

// search searches for a text, and leaves the field.
func (p shown) search(text string) {
	p.t.Helper()
	p.Press("/")
	p.Get(`document.getElementById("find").value = ""`)
	p.Press(text + "\r")
	p.Wait(fmt.Sprintf(`found !== null && found.text === %q`, text))
	p.Get(`document.getElementById("find").blur()`)
}

// Get runs an expression.
func (p shown) Get(expression string) {
	p.t.Helper()
	browser.Get[bool](p.Page, "("+expression+", true)")
}

// TestPage: the page opens at the first split and its join; keys, clicks and searches go where they
// should.
func TestPage(t *testing.T) {
	need.Tool(t, "chromium")
	pdom, _ := traced(t, "bitonic", "pdom")
	tbc, _ := traced(t, "bitonic", "tbc")
	p := open(t, written(t, pdom, tbc), "")

	assert.Equal(t, int(pdom.Summary.Counts[trace.Issue]), p.number("panels[0].data.cycle.length"), "SM 0 runs the CTA")
	p.Get("window.first = events(panels[0], isSplit)[0]")
	p.holds("panels[0].cursor.issue === first.issue && view.t0 < first.cycle")
	p.Get("window.join = pair(panels[0], first)[1]")
	p.holds("join > first.cycle && join < view.t0 + view.width * view.cpp")
	assert.Contains(t, p.Text("info"), "16 lanes take it, 16 do not")
	p.holds(`document.querySelector("#source .row.now span").textContent === "17"`)

	// keys
	p.Press("r")
	p.holds("panels[0].cursor.cycle === join")
	assert.Contains(t, p.Text("info"), "32 lanes together")
	p.Press("N")
	p.holds("panels[0].cursor.cycle < join && panels[0].cursor.cycle > first.cycle")
	p.Press("b")
	p.holds("panels[0].cursor.cycle > join")
	assert.Contains(t, p.Text("info"), "barrier")
	p.Press("]")
	p.Get("window.issue = current().cursor.issue")
	p.Press("]")
	p.holds("current().cursor.issue === issue + 1")
	p.Press("2")
	p.holds("active === 1")
	p.Press("1")
	p.Get("window.cpp = view.cpp")
	p.Press("+")
	p.holds("view.cpp < cpp")
	p.Press("?")
	p.holds(`document.getElementById("helptext").open`)
	p.Click("#helptext button")
	p.Get("choose(panels[0], { slot: 2 })")
	p.Press("j") // no key of the page
	p.holds("panels[0].slot === 2")

	// an instruction of the PTX: its issues are marked, in both traces
	p.Click("#ptx .row:nth-child(3)")
	p.holds("panels[0].data.pc[panels[0].cursor.issue] === 2")
	p.holds("found.list.length === panels[0].data.pc.filter((pc) => pc === 2).length && found.list.length > 0")
	p.holds("panels[1].marks.length === panels[1].data.pc.filter((pc) => pc === 2).length")
	p.Get("window.nth = found.at")
	p.Get("document.activeElement.blur()")
	p.Press("\r")
	p.holds("found.at === (nth + 1) % found.list.length")
	p.Press("\x1b")
	p.holds("found === null && panels[1].marks === null")
	p.Click("#source .row.live")
	p.holds("found.pcs.length > 0 && found.pcs.every((pc) => panels[0].program(0).Line[pc] === 3)")

	// searches
	p.search("pc 12")
	p.holds("panels[0].data.pc[panels[0].cursor.issue] === 12")
	p.search("split")
	p.holds("found.list.length === events(panels[0], isSplit).length")
	p.Press("/")
	p.Get(`document.getElementById("find").value = "warp 3"`)
	p.Press("\r")
	p.holds(`panels[0].name(panels[0].data.slots[panels[0].slot].slot) === "warp 3"`)
	p.Get(`document.getElementById("find").blur()`)
	p.search("thread 37")
	assert.Contains(t, p.Text("status"), "thread 37 of CTA 0 (warp 1, lane 5)")
	p.holds("found.list.every((c) => panels[0].data.row[c.issue] === 1 && (panels[0].data.mask[c.issue] >>> 5) & 1)")
	p.holds("found.list.length > 100 && panels[0].slot === 1")
	p.search("barrier")
	p.holds("found.list.length === events(panels[0], isBarrier).length && found.list.length > 0")
	p.search("line 17")
	p.holds("found.pcs.includes(31)")

	// the pointer: an issue under it marks its line, a click chooses a row
	p.Press("o")
	p.Wait("!asked")
	p.Get(`(() => {
		const p = panels[0], row = p.layout.rows[3], i = issueAt(p.data, row.s, middle() - p.data.from);
		const box = p.surface.canvas.getBoundingClientRect();
		window.pc = p.data.pc[i];
		p.surface.canvas.dispatchEvent(new PointerEvent("pointermove", {
			clientX: box.left + gutter + (p.data.cycle[i] + p.data.from + 0.5 - view.t0) / view.cpp,
			clientY: box.top + row.y - p.scroll + row.h / 2,
		}));
	})()`)
	p.holds(`document.querySelector("#ptx .row.now span").textContent === String(pc)`)
	p.Click(".panel:nth-child(2) canvas")
	p.holds("active === 1 && panels[1].cursor !== null")
}

// TestPlace: a page opens at a cycle and marks a thread, wherever that runs.
func TestPlace(t *testing.T) {
	need.Tool(t, "chromium")
	r, _ := traced(t, "mandelbrot", "pdom")
	var want trace.Record // the last issue of the CTA's second warp
	for rec, err := range r.Records(trace.Query{}) {
		require.NoError(t, err)
		if rec.Kind == trace.Issue && rec.CTA == 3 && rec.Warp == 1 && rec.Mask>>7&1 != 0 {
			want = *rec
		}
	}
	require.NotZero(t, want.Cycle)
	var page bytes.Buffer
	_, err := (&view.Page{Title: "test", Traces: []*trace.Reader{r}, At: &view.Place{
		Cycle: want.Cycle, Thread: &view.Thread{CTA: 3, Index: r.Header.Lanes + 7}, Note: "here",
	}}).WriteTo(&page)
	require.NoError(t, err)
	p := open(t, page.Bytes(), "")
	assert.Equal(t, int(want.SM), p.number("sm"))
	assert.Equal(t, int(want.Cycle), p.number("panels[0].cursor.cycle + panels[0].data.from"))
	assert.Equal(t, int(want.PC), p.number("panels[0].data.pc[panels[0].cursor.issue]"))
	p.holds("view.t0 < panels[0].cursor.cycle && panels[0].cursor.cycle < view.t0 + view.width * view.cpp")
	assert.Equal(t, "here", p.Text("status"))
	for rec, err := range r.Records(trace.Query{}) {
		require.NoError(t, err)
		if rec.Kind == trace.Start && rec.CTA == 1 && rec.Warp == 0 {
			require.NotEqual(t, want.SM, rec.SM)
			p.search("thread 5 cta 1")
			assert.Equal(t, int(rec.SM), p.number("sm"))
		}
	}
}

// TestFormedWarps: the lanes of a formed warp have the homes that the trace gives them.
func TestFormedWarps(t *testing.T) {
	need.Tool(t, "chromium")
	r, _ := traced(t, "bitonic", "dwf")
	p := open(t, written(t, r), "")
	rows := map[string]int{}
	for rec, err := range r.Records(trace.Query{SMs: []int{0}}) {
		require.NoError(t, err)
		if rec.Issues() {
			for l := range r.Header.Lanes {
				if rec.Mask>>l&1 != 0 {
					rows[fmt.Sprint(rec.Home(l).Row)]++
				}
			}
		}
	}
	assert.Equal(t, rows, browser.Get[map[string]int](p.Page, `(() => {
		const n = {}, d = panels[0].data;
		for (let i = 0; i < d.cycle.length; i++) {
			for (let l = 0; l < 32; l++) {
				if ((d.mask[i] >>> l) & 1) n[homeOf(d, i, l).row] = 1 + (n[homeOf(d, i, l).row] || 0);
			}
		}
		return n;
	})()`))
}

// TestFrames prints the frames per second of a million issues. It asserts no time.
func TestFrames(t *testing.T) {
	need.Tool(t, "chromium")
	if testing.Short() {
		t.Skip("it measures, and checks little")
	}
	p := open(t, written(t, long(t, 1_000_000)), "?bench")
	assert.Equal(t, 1_000_000, p.number("panels[0].data.cycle.length"))
	t.Log(p.Text("status"))
	assert.Contains(t, p.Text("status"), "frames a second")
}

// TestFullWarp: a key goes to the next warp that threads of several fill, under the first mechanism that
// makes some, and the page tells when it was compacted.
func TestFullWarp(t *testing.T) {
	need.Tool(t, "chromium")
	pdom, _ := traced(t, "bitonic", "pdom")
	tbc, _ := traced(t, "bitonic", "tbc")
	var full, made trace.Record
	compacted := map[uint16]trace.Record{} // by slot
	for rec, err := range tbc.Records(trace.Query{}) {
		require.NoError(t, err)
		switch {
		case rec.SM != 0 || full.Mask != 0:
		case rec.Kind == trace.Compact:
			compacted[rec.Slot] = *rec
		case rec.Kind == trace.Merge && rec.Lanes() == tbc.Header.Lanes:
			full, made = *rec, compacted[rec.Slot]
		}
	}
	require.NotZero(t, full.Cycle)
	p := open(t, written(t, pdom, tbc), "")
	p.Press("f")
	p.holds("active === 1 && panels[1].name(panels[1].data.slots[panels[1].slot].slot) === " + fmt.Sprintf(`"slot %d"`, full.Slot))
	assert.Equal(t, int(full.Cycle), p.number("panels[1].cursor.cycle + panels[1].data.from"))
	thousands := func(n uint64) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	assert.Contains(t, p.Text("info"), "fill all 32 lanes, cycle "+thousands(full.Cycle)+"; compacted in cycle "+thousands(made.Cycle))
	p.Press("c")
	p.holds("panels[1].cursor.cycle + panels[1].data.from > " + fmt.Sprint(full.Cycle))
}

// TestMemory: the page has each memory request of the trace, with its reply, and counts those in flight.
func TestMemory(t *testing.T) {
	need.Tool(t, "chromium")
	r, _ := traced(t, "bfs", "pdom")
	p := open(t, written(t, r), "")
	p.holds(`document.getElementById("full").hidden`)
	sm := uint16(p.number("sm"))
	want := map[string]int{}
	flying, cycle := 0, uint64(0) // in slot 0 in the cycle of its last reply
	var from, to []uint64
	for rec, err := range r.Records(trace.Query{}) {
		require.NoError(t, err)
		if rec.SM != sm {
			continue
		}
		begin, long := rec.Cycle, uint64(0)
		switch {
		case rec.Kind == trace.Reply:
			begin, long = rec.From, rec.Cycle-rec.From
		case rec.Kind != trace.Request || rec.Access == memsys.Load || rec.Access == memsys.Atomic:
			continue
		}
		want[fmt.Sprint(rec.Slot, begin, long, uint8(rec.Access), uint8(rec.Found), rec.PC, rec.Lanes(), rec.Line)]++
		if rec.Slot == 0 && long > 0 {
			from, to, cycle = append(from, begin), append(to, rec.Cycle), rec.Cycle-1
		}
	}
	assert.Equal(t, want, browser.Get[map[string]int](p.Page, `(() => {
		const n = {}, d = panels[0].data;
		for (const s of d.slots) {
			for (let m = s.m0; m < s.m1; m++) {
				const text = [s.slot, d.memoryFrom[m] + d.from, d.memoryLong[m], d.memoryWhat[m] % 16, d.memoryWhat[m] >> 4,
					d.memoryPC[m], d.memoryLanes[m], 32 * d.memoryLine[m]].join(" ");
				n[text] = 1 + (n[text] || 0);
			}
		}
		return n;
	})()`))
	for i := range from {
		if from[i] <= cycle && cycle < to[i] {
			flying++
		}
	}
	require.Positive(t, flying)
	assert.Equal(t, flying, p.number(fmt.Sprintf(`(() => {
		const d = panels[0].data, list = d.slots[0].inFlight;
		return list[after(list, 0, list.length, %d - d.from, (x) => x.cycle) - 1].n;
	})()`, cycle)))
	p.Press("m")
	assert.Regexp(t, `\d memory requests? · (load|store|atomic)`, p.Text("info"))
}
