package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCheck: a picture that could run a script in a page, or load a file, is refused. Pictures of
// this package pass: draw checks each.
func TestCheck(t *testing.T) {
	for _, svg := range []string{
		`<svg><script>alert(1)</script></svg>`,
		`<svg><x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script></svg>`,
		`<svg onload="alert(1)"></svg>`,
		`<svg><a href="javascript:alert(1)"><rect/></a></svg>`,
		`<svg><image href="https://example.org/a.png"/></svg>`,
		`<svg><image href="data:image/svg+xml;base64,PHN2Zz4="/></svg>`,
		`<svg><foreignObject><p>text</p></foreignObject></svg>`,
		`<svg><style>@import "x.css"</style></svg>`,
		`<svg><rect style="fill: url(x)"/></svg>`,
		`<svg><title><![CDATA[<script>alert(1)</script>]]></title></svg>`,
		`<svg><!-- > <script>alert(1)</script> --></svg>`,
		`<?xml-stylesheet href="x.css"?><svg></svg>`,
		`<svg><rect x=1></svg>`,
		`<svg>`,
	} {
		assert.Error(t, Check(svg), svg)
	}
}
