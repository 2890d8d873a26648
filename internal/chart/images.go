package chart

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
)

// Images is a row of pixel pictures of one size, side by side.
type Images struct {
	Title string
	Row   []Labelled
}

// Labelled is a picture with a line of text below it.
type Labelled struct {
	Label string
	Image image.Image
}

func (r *Images) title() string { return r.Title }

// gap is the distance between pictures of a row, in pixels.
const gap = 8.0

// draw puts each picture into the file as PNG. A pixel of it is a pixel of the drawing.
func (r *Images) draw() (p *picture, width, high float64, err error) {
	p = new(picture)
	p.heading(r.Title)
	x, top := margin, margin+titleHigh
	for _, l := range r.Row {
		var data bytes.Buffer
		if err := png.Encode(&data, l.Image); err != nil {
			return nil, 0, 0, fmt.Errorf("chart: picture %q: %w", l.Label, err)
		}
		b := l.Image.Bounds()
		fmt.Fprintf(p, `<image x="%s" y="%s" width="%d" height="%d" href="data:image/png;base64,%s"><title>%s</title></image>`+"\n",
			px(x), px(top), b.Dx(), b.Dy(), base64.StdEncoding.EncodeToString(data.Bytes()), escape(l.Label))
		p.text(x+float64(b.Dx())/2, top+float64(b.Dy())+lineHigh, "middle", l.Label)
		x += float64(b.Dx()) + gap
		high = max(high, top+float64(b.Dy())+2*lineHigh)
	}
	return p, x - gap + margin, high, nil
}
