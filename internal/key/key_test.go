package key_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/key"
)

type colour string

var colours = key.Choices[colour, func() int]{}.
	With("red", "as a rose", func() int { return 1 }).
	With("green", "as grass", func() int { return 2 })

func (colour) Words() key.Words { return colours.Words() }

// These are words without a meaning, and words without a function.
type (
	meaningless string
	idle        string
)

func (meaningless) Words() key.Words {
	return key.Choices[meaningless, func()]{}.With("a", "", func() {}).Words()
}

func (idle) Words() key.Words { return key.Choices[idle, func()]{}.With("a", "does", nil).Words() }

// tree has a key of each kind.
type tree struct {
	Root struct {
		Width int  `toml:"width" range:"1..32 pow2" unit:"cm" doc:"across" source:"ours"`
		Depth int  `toml:"depth" range:"width..4Ki" doc:"down" source:"Adams, 1979"`
		Split int  `toml:"split" range:"0..width pow2" doc:"parts" source:"ours"`
		Dry   bool `toml:"dry" doc:"no water" source:"ours"`
	} `toml:"root"`
	leaves
}

type leaves struct {
	Colour colour `toml:"colour" doc:"of a leaf" source:"ours"`
	Shape  string `toml:"shape" doc:"of a leaf" source:"ours"`
}

func (leaves) Words(name string) []string { return []string{name + "-a", name + "-b"} }

func TestList(t *testing.T) {
	type row struct{ name, typ, legal, unit, doc, source string }
	var got []row
	for _, k := range key.List("t.", reflect.TypeFor[tree]()) {
		got = append(got, row{k.Name, k.Type, k.Legal(), k.Unit, k.Doc, k.Source})
	}
	assert.Equal(t, []row{
		{"t.root.width", "integer", "a power of two from 1 to 32", "cm", "across", "this model"},
		{"t.root.depth", "integer", "t.root.width to 4096", "", "down", "Adams, 1979"},
		{"t.root.split", "integer", "0 or a power of two up to t.root.width", "", "parts", "this model"},
		{"t.root.dry", "boolean", "true, false", "", "no water", "this model"},
		{"t.colour", "word", "red, green", "", "of a leaf", "this model"},
		{"t.shape", "word", "shape-a, shape-b", "", "of a leaf", "this model"},
	}, got)
}

func TestListRefuses(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{struct {
			A int `range:"1..2" doc:"d" source:"s"`
		}{}, "want toml, doc and source"},
		{struct {
			A int `toml:"a" doc:"d" source:"s"`
		}{}, `range "": want LOW..HIGH`},
		{struct {
			A int `toml:"a" range:"1..2 odd" doc:"d" source:"s"`
		}{}, `range "1..2 odd": want LOW..HIGH`},
		{struct {
			A int `toml:"a" range:"1..b" doc:"d" source:"s"`
		}{}, "the range of a has the unknown key b"},
		{struct {
			A string `toml:"a" doc:"d" source:"s"`
		}{}, "nothing says which words"},
		{struct {
			A meaningless `toml:"a" doc:"d" source:"s"`
		}{}, `word 0, "a": want a name, a meaning and a function`},
		{struct {
			A idle `toml:"a" doc:"d" source:"s"`
		}{}, `word 0, "a": want a name, a meaning and a function`},
		{struct {
			A float64 `toml:"a" doc:"d" source:"s"`
		}{}, "no key can be float64"},
	} {
		func() {
			defer func() { assert.Contains(t, recover(), c.want) }()
			key.List("", reflect.TypeOf(c.v))
		}()
	}
}

// TestChoices: a word has its function, its meaning, and its place in the list.
func TestChoices(t *testing.T) {
	assert.Equal(t, []colour{"red", "green"}, colours.List())
	assert.Equal(t, "as grass", colours.Doc("green"))
	assert.Empty(t, colours.Doc("blue"))
	green, err := colours.Of("green")
	require.NoError(t, err)
	assert.Equal(t, 2, green())
	_, err = colours.Of("gren")
	assert.EqualError(t, err, `unknown value "gren"; did you mean "green"?`)
}

func TestSet(t *testing.T) {
	keys := map[string]key.Key{}
	for _, k := range key.List("", reflect.TypeFor[tree]()) {
		keys[k.Name] = k
	}
	for _, c := range []struct{ name, value, want, fault string }{
		{"root.width", "0x10", "16", ""},
		{"root.width", "1_000", "1000", ""},
		{"root.width", "x", "0", `root.width = "x": want an integer (cm), a power of two from 1 to 32`},
		{"root.dry", "true", "true", ""},
		{"root.dry", "yes", "false", `root.dry = "yes": want true or false`},
		{"colour", "green", "green", ""},
		{"colour", `"red"`, "red", ""},
		{"colour", "rad", "", `colour: unknown value "rad"; did you mean "red"?`},
	} {
		k, v := keys[c.name], tree{}
		err := k.Set(&v, c.value)
		assert.Equal(t, c.want, k.Get(&v), c.name)
		if c.fault == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.fault)
		}
	}
}

// TestCheck: all faults of a configuration come at once, each with its keys. A wrong value neither
// takes part in a rule nor ends a range.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		width, depth, split int
		want                []string
	}{
		{4, 4, 4, nil},
		{4, 4096, 0, nil},
		{4, 3, 8, []string{
			"root.depth = 3: want 4 (root.width) to 4096",
			"root.split = 8: want 0 or a power of two up to 4 (root.width)",
		}},
		{3, 3, 3, []string{
			"root.width = 3: want a power of two from 1 to 32",
			"root.split = 3: want 0 or a power of two up to 32",
		}},
		{64, 1, 0, []string{"root.width = 64: want a power of two from 1 to 32"}},
		{2, 7, 2, []string{"root.depth = 7: too odd for 2"}},
		{4, 5000, 1, []string{"root.depth = 5000: want 4 (root.width) to 4096"}},
	} {
		v := tree{}
		v.Root.Width, v.Root.Depth, v.Root.Split = c.width, c.depth, c.split
		v.Colour, v.Shape = "red", "shape-b"
		k := key.NewCheck("", &v)
		if k.Sound("root.depth", "root.width") && v.Root.Depth%2 == 1 && v.Root.Width == 2 {
			k.Refuse("too odd for %d", v.Root.Width)
		}
		err := k.Err()
		var got []string
		for _, f := range key.Faults(err) {
			got = append(got, f.Error())
		}
		assert.Equal(t, c.want, got)
	}
	v := tree{}
	v.Root.Width, v.Root.Depth = 1, 1
	err := key.NewCheck("x.", &v).Err()
	require.EqualError(t, err, "x.colour: unknown value \"\"; want one of red, green\nx.shape: unknown value \"\"; want one of shape-a, shape-b")
	assert.Equal(t, []string{"x.colour"}, key.Faults(err)[0].Keys)
	assert.Empty(t, key.Faults(nil))
}
