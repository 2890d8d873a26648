package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOctave: between the corners of a cell the noise is linear, up to rounding, and no value is
// beyond the amplitude.
func TestOctave(t *testing.T) {
	const width, height, cell, amplitude = 40, 24, 8, 100
	noise := make([]int, width*height)
	r := random(3)
	r.addOctave(noise, width, height, cell, amplitude)
	differ := 0
	for y := 0; y < height; y += cell {
		for x := range width - cell {
			left, right := x/cell*cell, x/cell*cell+cell
			from, to := noise[y*width+left], noise[y*width+right]
			assert.InDelta(t, float64(from*(right-x)+to*(x-left))/cell, noise[y*width+x], 1, "x = %d, y = %d", x, y)
			assert.LessOrEqual(t, max(from, -from), amplitude)
			if from != to {
				differ++
			}
		}
	}
	assert.Positive(t, differ)
}

// TestFace: a face is an ellipse, 5/4 as high as wide. Both of its eyes are darker than what lies
// between them.
func TestFace(t *testing.T) {
	for wide := faceSmallest; wide <= faceLargest; wide++ {
		f := face{wide: wide, skin: 150}
		for y := -wide; y <= wide; y++ {
			for x := -wide; x <= wide; x++ {
				across, down := 2*float64(x)/float64(wide), 1.6*float64(y)/float64(wide)
				_, inside := f.at(x, y)
				if far := across*across + down*down; far < 0.8 || far > 1.2 {
					assert.Equal(t, far < 1, inside, "width %d, %d %d", wide, x, y)
				}
			}
		}
		eye := -wide / 8
		left, _ := f.at(-wide*13/64, eye)
		between, _ := f.at(0, eye)
		right, _ := f.at(wide*13/64, eye)
		assert.Less(t, max(left, right), between-40, "width %d", wide)
	}
}

// TestNaturalPicture: as in photographs, pixels differ the more, the farther apart they are.
func TestNaturalPicture(t *testing.T) {
	const width, height = 256, 192
	picture := naturalPicture(width, height, 1)
	last := 0.0
	for _, apart := range []int{1, 2, 4, 8, 16, 32} {
		sum, n := 0, 0
		for y := range height {
			for x := range width - apart {
				d := int(picture[y*width+x]) - int(picture[y*width+x+apart])
				sum, n = sum+max(d, -d), n+1
			}
		}
		mean := float64(sum) / float64(n)
		assert.Greater(t, mean, last, "%d pixels apart", apart)
		last = mean
	}
}
