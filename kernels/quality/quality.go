// Package quality measures the errors of a run's results.
//
// The metrics are those of J. Sartori and R. Kumar (Branch and Data Herding, 2012, section VII):
//
//   - the fraction of mismatching bytes
//   - the mean difference of the bins of a histogram or of positions
//   - the signal-to-noise ratio of pictures
package quality

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"

	"divergo/kernels"
)

// Degradation returns the error of a workload's last run, by the metric of its kernel. 0 is exact.
// A mean difference can exceed 1.
func Degradation(k kernels.Kernel, w kernels.Workload) float64 {
	results := w.Results()
	if k.Metric == kernels.MeanDifference {
		r := results[0]
		return differenceOf(numbers(r.Got), numbers(r.Want))
	}
	var got, want []byte
	for _, r := range results {
		got, want = append(got, raw(r.Got)...), append(want, raw(r.Want)...)
	}
	return mismatchOf(got, want)
}

// mismatchOf returns the fraction of the bytes that differ. If one side is longer, its further bytes
// differ.
func mismatchOf(got, want []byte) float64 {
	differ := max(len(got), len(want)) - min(len(got), len(want))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			differ++
		}
	}
	return float64(differ) / float64(max(len(got), len(want), 1))
}

// differenceOf returns the mean absolute difference of two lists of the same length, as a fraction of the
// mean magnitude of want. It is infinite if that magnitude is 0 and the lists differ, or if an
// element is NaN.
func differenceOf(got, want []float64) float64 {
	var sum, size float64
	for i, w := range want {
		sum += math.Abs(got[i] - w)
		size += math.Abs(w)
	}
	switch {
	case sum == 0:
		return 0
	case math.IsNaN(sum) || size == 0:
		return math.Inf(1)
	}
	return sum / size
}

// Bins returns the differences of the bins of two histograms, got minus want.
func Bins(got, want []uint32) []int64 {
	list := make([]int64, len(want))
	for i, w := range want {
		list[i] = int64(got[i]) - int64(w)
	}
	return list
}

// PSNR returns the peak signal-to-noise ratio of a picture in dB, compared with a correct one of
// the same size. It is infinite if they are equal. The noise is that of red, green and blue of all
// pixels, eight bits each.
func PSNR(got, want image.Image) float64 {
	var sum float64
	n := 0
	each(got, want, func(_ image.Point, d [3]int) {
		for _, v := range d {
			sum += float64(v * v)
			n++
		}
	})
	if sum == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(255*255/(sum/float64(n)))
}

// Difference draws the differences of two pictures of the same size. Equal pixels are black; others
// are the brighter, the more they differ.
func Difference(got, want image.Image) image.Image {
	picture := image.NewRGBA(want.Bounds())
	each(got, want, func(at image.Point, d [3]int) {
		picture.SetRGBA(at.X, at.Y, color.RGBA{magnitude(d[0]), magnitude(d[1]), magnitude(d[2]), 255})
	})
	return picture
}

func magnitude(d int) uint8 { return uint8(max(d, -d)) }

// each visits the pixels of both pictures with the differences of their colours.
func each(got, want image.Image, visit func(at image.Point, d [3]int)) {
	b := want.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := got.At(x, y).RGBA()
			wr, wg, wb, _ := want.At(x, y).RGBA()
			visit(image.Pt(x, y), [3]int{int(r>>8) - int(wr>>8), int(g>>8) - int(wg>>8), int(bl>>8) - int(wb>>8)})
		}
	}
}

func raw(list any) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, list)
	if err != nil {
		panic(fmt.Sprintf("quality: %v", err)) // kernels.Result lists the possible types
	}
	return data
}

func numbers(list any) (all []float64) {
	add := func(v float64) { all = append(all, v) }
	switch list := list.(type) {
	case []uint8:
		for _, v := range list {
			add(float64(v))
		}
	case []int32:
		for _, v := range list {
			add(float64(v))
		}
	case []uint32:
		for _, v := range list {
			add(float64(v))
		}
	case []float32:
		for _, v := range list {
			add(float64(v))
		}
	}
	return all
}
