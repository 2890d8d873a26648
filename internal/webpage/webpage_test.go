package webpage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/webpage"
)

func Example() {
	page := webpage.Page{Layout: "<h1>{{title}}</h1>{{data}}<script>{{script}}</script>\n", Script: "show()"}
	if _, err := page.Write(os.Stdout, "1 < 2", func(w io.Writer) { fmt.Fprint(w, "<p>data</p>") }); err != nil {
		fmt.Println(err)
	}
	// Output: <h1>1 &lt; 2</h1><p>data</p><script>show()</script>
}

// TestPolicy: the policy names the hash of the script that the page has, and a title is no markup.
func TestPolicy(t *testing.T) {
	const script = "let a = '{{title}}' < \"</b>\";"
	page := webpage.Page{Layout: "{{policy}}|{{title}}|{{data}}|{{script}}", Script: script}
	var b strings.Builder
	n, err := page.Write(&b, "<script>{{style}}", func(io.Writer) {})
	require.NoError(t, err)
	assert.EqualValues(t, b.Len(), n)
	hash := sha256.Sum256([]byte(script))
	assert.Equal(t, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"+
		base64.StdEncoding.EncodeToString(hash[:])+"'|&lt;script&gt;{{style}}||"+script, b.String())
}

// full takes some bytes, then fails.
type full struct{ room int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	if f.room -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestError: the first error ends the page.
func TestError(t *testing.T) {
	page := webpage.Page{Layout: "12345{{data}}"}
	n, err := page.Write(&full{7}, "", func(w io.Writer) {
		io.WriteString(w, "6")
		io.WriteString(w, "789")
	})
	require.ErrorIs(t, err, errFull)
	assert.EqualValues(t, 7, n)
}
