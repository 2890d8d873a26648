package experiments_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/table"
)

// TestDocumented: the figures that documents show without options can be drawn and printed in each
// form. The test of the documents skips these commands; here the figures share the runs of the
// claims.
func TestDocumented(t *testing.T) {
	files, err := filepath.Glob("../docs/*/*.md")
	require.NoError(t, err)
	command := regexp.MustCompile(`(?m)^    divergo reproduce((?: [\w-]+)+)$`)
	found := 0
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			for name := range strings.FieldsSeq(m[1]) {
				if found++; forall.LeftOut(found, 8) {
					continue
				}
				d := draw(t, name)
				_, err := d.Charts.WriteTo(io.Discard)
				require.NoError(t, err, name)
				_, err = json.Marshal(d.Rows)
				require.NoError(t, err, name)
				cells := table.New(d.Header...)
				for _, row := range d.Rows {
					cells.Row(row...)
				}
				_, err = cells.WriteTo(io.Discard)
				require.NoError(t, err, name)
			}
		}
	}
	assert.Positive(t, found)
}
