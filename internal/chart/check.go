package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The elements and attributes of this package's pictures.
var (
	elements   = strings.Fields("svg title g text rect path circle polyline image")
	attributes = strings.Fields(`xmlns x y width height viewBox cx cy r d points href transform text-anchor
		font-family font-size font-weight fill stroke stroke-width`)
)

// Check returns an error for a picture with elements or attributes that this package does not draw.
// Use it on a picture read from a file before it becomes part of a page: a picture may hold scripts
// and links. It also refuses declarations, comments and CDATA, since browsers and XML parsers
// disagree on their ends.
func Check(svg string) error {
	if strings.Contains(svg, "<!") || strings.Contains(svg, "<?") {
		return errors.New("picture with a declaration, want elements alone")
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("picture: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(elements, start.Name.Local) {
			return fmt.Errorf("picture with <%s>, want %s", start.Name.Local, strings.Join(elements, ", "))
		}
		for _, a := range start.Attr {
			switch name := a.Name.Local; {
			case !slices.Contains(attributes, name):
				return fmt.Errorf("picture with attribute %s of <%s>", name, start.Name.Local)
			case name == "href" && !strings.HasPrefix(a.Value, "data:image/png;base64,"):
				return fmt.Errorf("picture with a link to %q, want a PNG image in base64", a.Value)
			}
		}
	}
}
