package kernels

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/testbench/golden"
)

// oracle is the golden model as a Machine. Gaps separate its buffers, so that an access past the
// end of one is a fault.
type oracle struct {
	t      *testing.T
	memory golden.Memory
	next   uint64
	slice  uint64   // instructions of a thread before the next thread runs
	traces []uint64 // one for each thread of each launch
}

func newOracle(t *testing.T, slice uint64) *oracle {
	return &oracle{t: t, next: isa.GlobalBase, slice: slice}
}

func (o *oracle) Alloc(n int) uint64 {
	addr := o.next
	require.NoError(o.t, o.memory.Map(addr, uint64(n)))
	o.next += uint64(n+511) / 256 * 256
	return addr
}

func (o *oracle) Write(addr uint64, data []byte) { require.NoError(o.t, o.memory.Write(addr, data)) }
func (o *oracle) Read(addr uint64, data []byte)  { require.NoError(o.t, o.memory.Read(addr, data)) }

func (o *oracle) Launch(l Call) error {
	p := program(o.t, l.Module, l.Kernel)
	launch := golden.Setup{Grid: l.Grid, Block: l.Block, SharedBytes: l.Shared, Params: l.Params, Stack: 1024}
	r, err := golden.Run(p, launch, &o.memory, golden.Options{Slice: o.slice})
	if err != nil {
		return err
	}
	if r.End != golden.Finished {
		return fmt.Errorf("%s: %v: %+v", l.Kernel, r.End, r.Fault)
	}
	for i := range r.Threads {
		o.traces = append(o.traces, r.Threads[i].Trace)
	}
	return nil
}

// TestGoldenModelAgreesWithTheReferences runs the small sizes. TestKernels of package verify
// compares the machine with the golden model and with the references, in the medium size.
func TestGoldenModelAgreesWithTheReferences(t *testing.T) {
	for _, k := range All() {
		w := k.Sizes[0].New(1)
		require.NoError(t, w.Run(newOracle(t, 0)), k.Name)
		assert.NoError(t, w.Check(), k.Name)
	}
}

func TestGoldenModelAgreesAtOtherShapes(t *testing.T) {
	for i, w := range []Workload{
		NewVecadd(100, 48, 2),
		newMatmul(1, 1, 1, 3),
		newHistogram(3, 1, 33, 4),
		NewReduction(1000, 32, 5),
		NewReduction(1, 1, 6),
		NewBitonic(64, 64, 7),
		NewBitonic(60, 16, 8),
		NewBackprop(100, 8, 9),
		NewBackprop(16, 1, 10),
		newBFS(1, 32, 11),
		newAES(1, 22),
		newCoulomb(1, 9, 3, 22),
		newStore(1, 3, 22),
		newStreamCluster(3, 64, 1, 1, 22),
		NewHaar(3, 1, 22),
		NewFDTD3D(20, 36, 3, 16, 16, 22),
		newFaceDetect(17, 16, 22),
		newHotspot(7, 5, 3, 2, 23),
		newMummer(40, 5, 30, 32, 24),
		newMummerPP(40, 5, 30, 32, 25),
		newNAMD([3]int{1, 1, 1}, 130, 26),
		newPersistent(1, 33, 2, 27),
		newPathfinder(300, 127, 127, 28),
		newSobel(1, 1, 12),
		newSobel(2, 50, 13),
		NewMandelbrot(17, 1, 1, 14),
		NewBlockSort(1, 1, 15),
		NewBlockSort(500, 512, 16),
		NewBlockSort(130, 64, 17),
		NewQuasirandom(1, 1, 18),
		NewLaplace(1, 1, 1, 19),
		NewLaplace(33, 5, 2, 20),
		NewLaplace(3, 9, 3, 21),
		NewConvolution(16, 1, 22),
		NewConvolution(144, 50, 23),
		NewMandelbrot20(20, 16, 1, 33),
		NewMandelbrot20(20, 16, 22, 34),
		NewJulia(20, 16, 23, 35),
		earlyExits(t, "shortcircuit", 2),
		earlyExits(t, "exceptions", 16),
		earlyExits(t, "gotos", 4),
		earlyExits(t, "coroutine", 256),
		NewLoop1(0),
		NewLoop2(31),
		newQueens(2, 32),
		newQueens(6, 5),
	} {
		if forall.LeftOut(i, 4) {
			continue
		}
		require.NoError(t, w.Run(newOracle(t, 0)), "%T", w)
		assert.NoError(t, w.Check(), "%T", w)
	}
}

func earlyExits(t *testing.T, kernel string, exit int) Workload {
	w, err := NewEarlyExits(kernel, 100, 64, 5, exit, 36)
	require.NoError(t, err)
	return w
}

// TestEarlyExits: of the words of exceptions, one of exit makes a test leave.
func TestEarlyExits(t *testing.T) {
	for exit := 2; exit <= 256; exit *= 2 {
		w, err := NewEarlyExits("exceptions", 1000, 64, 64, exit, 1)
		require.NoError(t, err)
		u := w.(*unstructuredWorkload)
		divisor, low := 0, 0
		for _, word := range u.words {
			if word&7 == 0 {
				divisor++
			}
			if word&255 < u.low {
				low++
			}
		}
		want := float64(len(u.words)) / float64(exit)
		assert.InEpsilon(t, want, divisor, 0.2, "exit %d", exit)
		assert.InEpsilon(t, want, low, 0.2, "exit %d", exit)
		assert.Equal(t, want, float64(len(u.words))*float64(256-u.high)/256, "exit %d", exit)
	}
	for _, bad := range []struct {
		kernel string
		exit   int
	}{{"bfs", 2}, {"gotos", 1}, {"gotos", 257}} {
		_, err := NewEarlyExits(bad.kernel, 1, 32, 1, bad.exit, 1)
		assert.ErrorContains(t, err, "early exits")
	}
}

// TestOrderOfThreadsDoesNotMatter: without data races, a kernel's threads take the same paths in
// every order of execution. A thread executes one instruction at a time, a few, or all up to the
// next barrier.
func TestOrderOfThreadsDoesNotMatter(t *testing.T) {
	for i, k := range All() {
		if forall.LeftOut(i, 4) {
			continue
		}
		var traces []uint64
		for _, slice := range []uint64{0, 1, 7} {
			o := newOracle(t, slice)
			w := k.Sizes[0].New(2)
			require.NoError(t, w.Run(o), k.Name)
			require.NoError(t, w.Check(), k.Name)
			if traces == nil {
				traces = o.traces
			}
			assert.Equal(t, traces, o.traces, k.Name)
		}
	}
}

func TestPictures(t *testing.T) {
	for _, name := range []string{"sobel", "mandelbrot"} {
		k, err := Find(name)
		require.NoError(t, err)
		var encoded [2]bytes.Buffer
		for i := range encoded {
			w, draws := k.Sizes[0].New(1).(Picture)
			require.True(t, draws, name)
			require.NoError(t, w.Run(newOracle(t, 0)))
			require.NoError(t, png.Encode(&encoded[i], w.Image()))
		}
		assert.Equal(t, encoded[0].Bytes(), encoded[1].Bytes(), name)

		picture, err := png.Decode(&encoded[0])
		require.NoError(t, err)
		assert.Equal(t, "(0,0)-(32,24)", picture.Bounds().String())
		colours := map[string]bool{}
		for y := range 24 {
			for x := range 32 {
				colours[fmt.Sprint(picture.At(x, y))] = true
			}
		}
		assert.Greater(t, len(colours), 8, "%s shows something", name)
	}
}

func TestMandelbrotPictureIsBlackInside(t *testing.T) {
	w := NewMandelbrot(48, 32, 64, 1)
	require.NoError(t, w.Run(newOracle(t, 0)))
	r, g, b, a := w.Image().At(36, 16).RGBA() // c = 0
	assert.Equal(t, []uint32{0, 0, 0, 0xffff}, []uint32{r, g, b, a})
	_, _, b, _ = w.Image().At(0, 0).RGBA() // far outside
	assert.Greater(t, b, uint32(0xe000))
}
