package quality

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/kernels"
)

// idle is a machine that does nothing: its memory stays 0.
type idle struct{ next uint64 }

func (m *idle) Alloc(n int) uint64         { m.next += uint64(n); return m.next }
func (m *idle) Write(uint64, []byte)       {}
func (m *idle) Read(_ uint64, data []byte) { clear(data) }
func (m *idle) Launch(kernels.Call) error  { return nil }

func TestBytes(t *testing.T) {
	assert.Equal(t, 0.0, mismatchOf([]byte{1, 2, 3, 4}, []byte{1, 2, 3, 4}))
	assert.Equal(t, 0.25, mismatchOf([]byte{1, 2, 0, 4}, []byte{1, 2, 3, 4}))
	assert.Equal(t, 0.5, mismatchOf([]byte{1, 2}, []byte{1, 2, 3, 4}))
	assert.Equal(t, 0.0, mismatchOf(nil, nil))
}

func TestMean(t *testing.T) {
	assert.Equal(t, 0.1, differenceOf([]float64{9, -11}, []float64{10, -10}))
	assert.Equal(t, 0.0, differenceOf([]float64{0}, []float64{0}))
	assert.Equal(t, math.Inf(1), differenceOf([]float64{1}, []float64{0}))
	assert.Equal(t, math.Inf(1), differenceOf([]float64{math.NaN()}, []float64{1}))
}

func TestBins(t *testing.T) {
	assert.Equal(t, []int64{-1, 0, 4294967295}, Bins([]uint32{1, 5, 4294967295}, []uint32{2, 5, 0}))
}

func grey(levels ...uint8) image.Image {
	return &image.Gray{Pix: levels, Stride: len(levels), Rect: image.Rect(0, 0, len(levels), 1)}
}

// TestPSNR checks the definition, 10 log10(255²/MSE).
func TestPSNR(t *testing.T) {
	assert.Equal(t, math.Inf(1), PSNR(grey(1, 2), grey(1, 2)))
	assert.InDelta(t, 0, PSNR(grey(255, 0), grey(0, 255)), 1e-9)
	assert.InDelta(t, 48.1308, PSNR(grey(9, 11), grey(10, 10)), 1e-4) // 20 log10(255)
	assert.InDelta(t, 51.1411, PSNR(grey(9, 10), grey(10, 10)), 1e-4) // half of the noise
}

func TestDifference(t *testing.T) {
	d := Difference(grey(10, 7), grey(3, 7))
	assert.Equal(t, color.RGBA{7, 7, 7, 255}, d.At(0, 0))
	assert.Equal(t, color.RGBA{0, 0, 0, 255}, d.At(1, 0))
}

// TestDegradation checks each kernel's metric. If all results are 0, everything is lost.
func TestDegradation(t *testing.T) {
	for _, k := range kernels.All() {
		w := k.Sizes[0].New(1)
		require.NoError(t, w.Run(&idle{}), k.Name)
		d := Degradation(k, w)
		if k.Metric == kernels.MeanDifference {
			assert.InDelta(t, 1, d, 1e-6, k.Name)
		} else {
			assert.True(t, 0 < d && d <= 1, "%s: %v", k.Name, d)
		}
	}
}

func Example() {
	k, err := kernels.Find("histogram64")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := k.Sizes[0].New(1)
	if err := w.Run(&idle{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(k.Metric, Degradation(k, w))
	// Output: mean difference 1
}
