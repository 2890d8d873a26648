package kernels

// The picture that kernels of image processing read. It has the properties of a photograph that
// matter to them, and is made by integer arithmetic:
//
//   - noise of several octaves, whose amplitude halves as the frequency doubles (Field, Relations
//     between the statistics of natural images, 1987)
//   - faces in front of it, of different size and brightness, each with eyes, nose and mouth
const (
	pictureCell   = 64 // pixels between the coarsest values of the noise
	pictureNoise  = 96 // largest difference from grey of the coarsest octave
	faceSmallest  = 16 // pixels, width of a face
	faceLargest   = 40
	pixelsPerFace = 4096
)

// naturalPicture returns the grey levels of a picture, row by row. The seed determines all of it.
func naturalPicture(width, height int, seed uint64) []uint8 {
	r := random(seed)
	noise := make([]int, width*height)
	amplitude := pictureNoise
	for cell := pictureCell; cell > 0 && amplitude > 0; cell, amplitude = cell/2, amplitude/2 {
		r.addOctave(noise, width, height, cell, amplitude)
	}
	grey := make([]int, len(noise))
	for i, n := range noise {
		grey[i] = 112 + n
	}
	for range (width*height + pixelsPerFace - 1) / pixelsPerFace {
		f := face{
			x: r.below(width), y: r.below(height), wide: faceSmallest + r.below(faceLargest-faceSmallest+1),
			skin: 120 + r.below(100), light: r.below(33) - 16,
		}
		for dy := -f.wide; dy <= f.wide; dy++ {
			for dx := -f.wide; dx <= f.wide; dx++ {
				x, y := f.x+dx, f.y+dy
				if x < 0 || x >= width || y < 0 || y >= height {
					continue
				}
				if level, inside := f.at(dx, dy); inside {
					grey[y*width+x] = level + noise[y*width+x]/8
				}
			}
		}
	}
	picture := make([]uint8, len(grey))
	for i, level := range grey {
		picture[i] = uint8(min(max(level, 0), 255))
	}
	return picture
}

// addOctave adds noise to a picture: random values at the corners of square cells, interpolated
// between.
func (r *random) addOctave(noise []int, width, height, cell, amplitude int) {
	pitch := width/cell + 2
	corner := make([]int, pitch*(height/cell+2))
	for i := range corner {
		corner[i] = r.below(2*amplitude+1) - amplitude
	}
	for y := range height {
		for x := range width {
			at := y/cell*pitch + x/cell
			right, down := x%cell, y%cell
			above := corner[at]*(cell-right) + corner[at+1]*right
			below := corner[at+pitch]*(cell-right) + corner[at+pitch+1]*right
			noise[y*width+x] += (above*(cell-down) + below*down) / (cell * cell)
		}
	}
}

// face is a face of a picture.
type face struct {
	x, y, wide  int // centre and width, in pixels; a face is 5/4 as high as it is wide
	skin, light int // grey level; by how much the right side is brighter than the left one
}

// at returns the grey level at a place relative to the centre, and whether it is in the face.
func (f *face) at(dx, dy int) (level int, inside bool) {
	// Coordinates of a face of 64x80, whose centre is 0.
	x, y := dx*64/f.wide, dy*64/f.wide
	within := func(cx, cy, rx, ry int) bool {
		ex, ey := x-cx, y-cy
		return ex*ex*ry*ry+ey*ey*rx*rx <= rx*rx*ry*ry
	}
	if !within(0, 0, 32, 40) {
		return 0, false
	}
	level = f.skin + f.light*x/32
	switch {
	case within(-13, -8, 4, 3), within(13, -8, 4, 3): // pupils
		level -= 110
	case within(-13, -8, 8, 6), within(13, -8, 8, 6): // sockets
		level -= 50
	case within(-13, -17, 9, 2), within(13, -17, 9, 2): // brows
		level -= 70
	case within(0, 4, 3, 10): // bridge of the nose
		level += 20
	case within(0, 13, 7, 3): // nostrils
		level -= 40
	case within(0, 24, 12, 3): // mouth
		level -= 60
	case y < -28: // hair
		level -= 80
	}
	return level, true
}
