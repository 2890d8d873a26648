package gpu_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/key"
	"divergo/sm/divergence"
)

// TestWords: --set and Check accept every word that a key lists, and a machine runs with it. They
// all refuse any other word.
func TestWords(t *testing.T) {
	p := program(t, mixed)
	for _, k := range gpu.Keys() {
		if k.Type != "word" {
			continue
		}
		for _, w := range k.Words {
			c := small()
			if k.Name == "divergence.dwf_issue" {
				c.Divergence.Mechanism = "dwf"
			}
			if k.Name == "texture.fetch" {
				c.Texture.Size = 4096
			}
			require.NoError(t, c.Set(k.Name+"="+w))
			require.NoError(t, c.Check())
			m := load(t, c, p, 2, 96)
			require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000), "%s = %s", k.Name, w)
			assert.Equal(t, result(5, 96), words(t, m, 6)[5], "%s = %s", k.Name, w)
		}
		c := small()
		assert.ErrorContains(t, c.Set(k.Name+"=nothing"), k.Name)
		unchecked(t, &c, &k)
		assert.ErrorContains(t, c.Check(), k.Name)
		_, err := gpu.New(c)
		assert.Error(t, err, k.Name)
	}
}

// unchecked sets a key to a word without a check.
func unchecked(t *testing.T, c *gpu.Config, k *gpu.Key) {
	t.Helper()
	before := *c
	k.Words = append(k.Words, "nothing")
	require.NoError(t, k.Set(c, "nothing"))
	assert.NotEqual(t, before, *c)
}

// TestWordsHaveFunctions: a table gives each word its meaning and its function. Only the mechanisms
// have a different table, Mechanism.
func TestWordsHaveFunctions(t *testing.T) {
	var fields func(typ reflect.Type)
	fields = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			switch {
			case f.Type.Kind() == reflect.Struct:
				fields(f.Type)
			case f.Type.Kind() == reflect.String && f.Type != reflect.TypeFor[key.Declared]():
				table, ok := reflect.Zero(f.Type).Interface().(interface{ Words() key.Words })
				if !assert.Equal(t, f.Name != "Mechanism", ok, f.Name) || !ok {
					continue
				}
				assert.NotEmpty(t, table.Words(), f.Name)
				for _, w := range table.Words() {
					assert.True(t, w.Works && w.Doc != "" && w.Name != "", "%s %s", f.Name, w.Name)
				}
			}
		}
	}
	fields(reflect.TypeFor[gpu.Config]())
	for _, m := range divergence.Mechanisms() {
		assert.True(t, m.New != nil && m.Doc != "", m.Name)
	}
}
