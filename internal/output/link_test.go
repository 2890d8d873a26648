package output_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/output"
)

// TestLink: of writers that race for a name, one wins and the others are told its bytes. Nothing else
// stays in the folder.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	var group sync.WaitGroup
	var won atomic.Int32
	for i := range 8 {
		group.Go(func() {
			there, err := output.Link(name, []byte{byte(i)})
			assert.NoError(t, err)
			if there == nil {
				won.Add(1)
			} else {
				assert.NotEqual(t, []byte{byte(i)}, there)
			}
		})
	}
	group.Wait()
	assert.Equal(t, int32(1), won.Load())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	there, err := output.Link(name, text)
	require.NoError(t, err)
	assert.Nil(t, there)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	_, err = output.Link(filepath.Join(dir, "none", "x"), nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
