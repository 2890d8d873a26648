package key_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/key"
)

// garden has keys declared to it.
type garden struct {
	Beds struct {
		Count int `toml:"count" range:"1..9" doc:"of beds" source:"ours"`
		beds
	} `toml:"beds"`
}

type beds struct {
	Own key.Declared
}

// rose is a declared struct of keys.
type rose struct {
	Stems  int    `toml:"stems" old:"rose_stems" range:"1..limit" unit:"stems" doc:"of a bush" source:"ours"`
	Limit  int    `toml:"limit" range:"1..64" doc:"of stems" source:"ours"`
	Wild   bool   `toml:"wild" doc:"not grafted" source:"ours"`
	Colour colour `toml:"colour" doc:"of the flower" source:"ours"`
}

func (beds) Declarations() []key.Declaration {
	return []key.Declaration{{Name: "rose", Usual: rose{3, 5, false, "red"}, At: 7}}
}

// TestDeclared: keys declared to a struct are listed, set, read and checked like its own. Equal
// values make equal structs.
func TestDeclared(t *testing.T) {
	keys := map[string]key.Key{}
	var names []string
	for _, k := range key.List("", reflect.TypeFor[garden]()) {
		keys[k.Name] = k
		names = append(names, k.Name)
	}
	assert.Equal(t, []string{"beds.count", "beds.rose.stems", "beds.rose.limit", "beds.rose.wild", "beds.rose.colour"},
		names)
	stems := keys["beds.rose.stems"]
	assert.Equal(t, "1 to beds.rose.limit stems: of a bush", stems.Describe())

	var g garden
	g.Beds.Count = 1
	get := func() (list []any) {
		for _, n := range names[1:] {
			k := keys[n]
			list = append(list, k.Value(&g))
		}
		return list
	}
	set := func(name, value string) error {
		k := keys[name]
		return k.Set(&g, value)
	}
	assert.Equal(t, []any{3, 5, false, colour("red")}, get())
	require.NoError(t, set("beds.rose.stems", "4"))
	require.NoError(t, set("beds.rose.wild", "true"))
	require.NoError(t, set("beds.rose.colour", "green"))
	assert.Equal(t, []any{4, 5, true, colour("green")}, get())
	assert.EqualError(t, set("beds.rose.stems", "x"),
		`beds.rose.stems = "x": want an integer (stems), 1 to beds.rose.limit`)
	assert.EqualError(t, set("beds.rose.colour", "gren"),
		`beds.rose.colour: unknown value "gren"; did you mean "green"?`)
	assert.Equal(t, []any{4, 5, true, colour("green")}, get())

	assert.Equal(t, rose{4, 5, true, "green"}, g.Beds.Own.Value(beds{}.Declarations()[0]))
	assert.NoError(t, key.NewCheck("", &g).Err())
	require.NoError(t, set("beds.rose.stems", "6"))
	assert.EqualError(t, key.NewCheck("", &g).Err(), "beds.rose.stems = 6: want 1 to 5 (beds.rose.limit)")

	other := g
	require.NoError(t, set("beds.rose.wild", "false"))
	assert.NotEqual(t, other, g)
	require.NoError(t, set("beds.rose.wild", "true"))
	assert.Equal(t, other, g, "the order in which values are set is no matter")
	for _, n := range [][2]string{{"stems", "3"}, {"wild", "false"}, {"colour", "red"}} {
		require.NoError(t, set("beds.rose."+n[0], n[1]))
	}
	assert.Empty(t, g.Beds.Own, "all have their defaults")
}

// TestOpen: a decoder finds a field for each key, with the present value. The values that it stores
// are taken, even if a Check refuses them.
func TestOpen(t *testing.T) {
	var g garden
	g.Beds.Count = 7
	doc, take := key.Open(&g)
	tables := reflect.ValueOf(doc).Elem()
	inner := tables.FieldByIndex([]int{0})
	assert.Equal(t, `toml:"beds"`, string(tables.Type().Field(0).Tag))
	assert.EqualValues(t, 7, inner.Field(0).Int())
	assert.Equal(t, `toml:"rose"`, string(inner.Type().Field(1).Tag))
	assert.Equal(t, rose{3, 5, false, "red"}, inner.Field(1).Interface())
	assert.Equal(t, `toml:"rose_stems"`, string(inner.Type().Field(2).Tag))
	inner.Field(0).SetInt(8)
	inner.Field(1).Set(reflect.ValueOf(rose{3, 6, false, "a \"b\"\nrose.limit=7"}))
	assert.Equal(t, 7, g.Beds.Count)
	stems := 2
	inner.Field(2).Set(reflect.ValueOf(&stems))
	take()
	assert.Equal(t, 8, g.Beds.Count)
	for _, k := range key.List("", reflect.TypeFor[garden]()) {
		switch k.Name {
		case "beds.rose.stems":
			assert.Equal(t, "beds.rose_stems", k.Old)
			assert.Equal(t, 2, k.Value(&g), "by its old name")
		case "beds.rose.limit":
			assert.Equal(t, 6, k.Value(&g))
		case "beds.rose.colour":
			assert.Equal(t, colour("a \"b\"\nrose.limit=7"), k.Value(&g))
		}
	}
	assert.ErrorContains(t, key.NewCheck("", &g).Err(), "beds.rose.colour: unknown value")
}
