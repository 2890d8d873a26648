package report_test

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
	"divergo/sweep/report"
)

// open shows a report in a browser.
func open(t *testing.T, s *report.Study, o report.Options, width int) (*report.Report, *browser.Page) {
	t.Helper()
	r, err := report.New(s, o)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WritePage(&b))
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	p := browser.Open(t, "file://"+file, width, 1000)
	p.Wait(`document.documentElement.dataset.ready === "yes"`)
	return r, p
}

// do runs statements on the page.
func do(p *browser.Page, format string, args ...any) {
	browser.Get[bool](p, "(() => { "+fmt.Sprintf(format, args...)+"; return true })()")
}

// picture keeps a picture of the page for a person to look at.
func picture(t *testing.T, p *browser.Page, name string) {
	t.Helper()
	if folder := os.Getenv("PICTURES"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), p.Picture(), 0o600))
	}
}

// TestPage uses the page as a person does: with the pointer, with keys, and with another budget.
func TestPage(t *testing.T) {
	need.Tool(t, "chromium")
	if testing.Short() {
		t.Skip("opens a browser")
	}
	r, p := open(t, large(240, 3), report.Options{Budget: 30}, 1300)
	best := func(budget float64) int {
		of, err := report.New(r.Study, report.Options{Budget: budget})
		require.NoError(t, err)
		return of.Best[0]
	}
	chosen := func() int { return browser.Get[int](p, "chosen") }

	assert.Equal(t, r.Best[0], chosen(), "the page opens with the best")
	assert.Contains(t, p.Text("answer"), "Fastest within 30 mm²: "+r.Settings(r.Best[0])+", ")
	assert.Equal(t, r.Top(), browser.Get[[]int](p, `[...document.querySelectorAll("#best tr[data-machine]")].map((r) => Number(r.dataset.machine))`))
	assert.Equal(t, r.Front, browser.Get[[]int](p, `[...document.querySelectorAll("#front tr[data-machine]")].map((r) => Number(r.dataset.machine))`))
	picture(t, p, "report.png")

	// another budget
	set := func(budget string) {
		do(p, `$("budget").value = %q; $("budget").dispatchEvent(new Event("input"))`, budget)
	}
	set("20")
	assert.Contains(t, p.Text("answer"), "Fastest within 20 mm²: "+r.Settings(best(20))+", ")
	assert.Contains(t, p.Text("besttitle"), "within 20 mm²")
	set("1")
	assert.Contains(t, p.Text("answer"), "No machine is within 1 mm²")
	set("")
	assert.Contains(t, p.Text("answer"), r.Settings(best(0)))

	// the pointer: between machines it takes the nearest
	point := func(plot int, x, y string) int {
		do(p, `{
			const p = plots[%d], box = p.canvas.getBoundingClientRect();
			p.canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + %s, clientY: box.top + %s }));
		}`, plot, x, y)
		return browser.Get[int](p, "hovered")
	}
	for k := range 5 {
		x, y := 300+70*k, 150+40*k
		assert.Equal(t, browser.Get[int](p, fmt.Sprintf(`(() => {
			const far = (i) => Math.hypot(plots[0].x(data.area[3 * i + 1]) - %d, plots[0].y(data.speed[3 * i + 1]) - %d);
			const i = order.toSorted((a, b) => far(a) - far(b))[0];
			return far(i) < 20 ? i : -1;
		})()`, x, y)), point(0, fmt.Sprint(x), fmt.Sprint(y)))
	}
	// over a machine of the front, and over the same one on a kernel
	i := r.Front[1]
	assert.Equal(t, i, point(0, "p.x(data.area[3 * data.front[1] + 1])", "p.y(data.speed[3 * data.front[1] + 1])"))
	assert.Equal(t, i, point(1, "p.x(data.area[3 * data.front[1] + 1])", "p.y(data.byKernel[0][3 * data.front[1] + 1])"))
	info := p.Text("info")
	for k, command := range r.Machines[i].Commands {
		assert.Contains(t, info, command)
		assert.Contains(t, info, fmt.Sprintf("%s: %.3f", r.Kernels[k], r.Machines[i].ByKernel[k].Mid))
	}
	for _, a := range r.Varying() {
		assert.Contains(t, info, r.Axes[a].Name+r.Axes[a].Values[r.Machines[i].At[a]])
	}
	do(p, `plots[1].canvas.dispatchEvent(new PointerEvent("pointerleave"))`)

	// keys
	p.Click("main canvas[tabindex]") // the middle
	near := `plots[0].nearest($("scatter").clientWidth / 2, $("scatter").clientHeight / 2)`
	assert.Equal(t, browser.Get[int](p, near), chosen())
	p.Press("\x1b")
	assert.Equal(t, -1, chosen())
	p.Press("b")
	assert.Equal(t, best(0), chosen())
	p.Press("\x1b")
	p.Press("\u0304") // up
	assert.Equal(t, r.Front[0], chosen())
	p.Press("\u0304")
	assert.Equal(t, r.Front[1], chosen())
	p.Press("\u0303") // right: the next area
	assert.Equal(t, 1+browser.Get[int](p, "order.indexOf(data.front[1])"), browser.Get[int](p, "order.indexOf(chosen)"))

	// a value of the legend
	p.Click("#legend button:nth-child(3)")
	assert.Equal(t, "false", browser.Get[string](p, `document.querySelector("#legend button:nth-child(3)").getAttribute("aria-pressed")`))
	assert.Equal(t, 24, browser.Get[int](p, "order.filter((i) => !visible(i)).length"))

	// a row of a table, and its command
	p.Click("#front tr:nth-child(2) button")
	assert.Equal(t, r.Front[0], chosen())
	p.Click("section .command button")
	p.Wait(`["copied", "selected"].includes(document.querySelector("section .command button").textContent)`)
	small := browser.Get[[]string](p, `[...document.querySelectorAll("body *")].filter((e) => e.textContent.trim() &&
		parseFloat(getComputedStyle(e).fontSize) < 12).map((e) => e.outerHTML)`)
	assert.Empty(t, small, "text of less than 12 px")
}

// TestMany: the page holds 10,000 machines, in a narrow window.
func TestMany(t *testing.T) {
	need.Tool(t, "chromium")
	if testing.Short() {
		t.Skip("draws 10,000 points")
	}
	r, p := open(t, large(10_000, 1), report.Options{Budget: 35}, 800)
	assert.Equal(t, 800, browser.Get[int](p, "document.documentElement.scrollWidth"))
	assert.Equal(t, r.Best[0], browser.Get[int](p, "chosen"))
	t.Logf("%.1f ms to draw all points, %.1f ms to follow the pointer", browser.Get[float64](p, `(() => {
		const at = performance.now();
		draw();
		plots[0].points.getContext("2d").getImageData(0, 0, 1, 1);
		return performance.now() - at;
	})()`), browser.Get[float64](p, `(() => {
		const at = performance.now();
		for (let i = 0; i < 20; i++) hover(plots[0].nearest(100 + 10 * i, 200));
		return (performance.now() - at) / 20;
	})()`))
	picture(t, p, "report-10000.png")
}
