package waves

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

func signalOf[T any](path string, width int) *variable {
	return newVariable(rtl.Signal{Path: path, Width: width, Type: reflect.TypeFor[T]()}, new(scope), origin{})
}

// tree has signals of eight bits at paths.
func tree(paths ...string) *scope {
	root := new(scope)
	for i, path := range paths {
		root.addBundle(strings.Split(path, "."), rtl.Signal{Path: path, Width: 8, Type: reflect.TypeFor[uint8]()},
			origin{bundle: i})
	}
	return root
}

func TestNamesInTheDump(t *testing.T) {
	want := [][2]string{
		{"gpu.sm[3].PC", "gpu.sm_03.PC"},
		{"gpu.sm[12].PC", "gpu.sm_12.PC"},
		{"gpu.sm[3].r[0][7]", "gpu.sm_03.r_0_07"},
		{"gpu.sm[3].r[1][15]", "gpu.sm_03.r_1_15"},
		{"gpu.other[3].x", "gpu.other_3.x"},
		{"gpu.größe", "gpu.gr__e"},
		{"gpu.3d", "gpu._3d"},
		{"gpu.$unit", "gpu._unit"},
		{"gpu.[4]", "gpu.__4"},
		{"gpu..x", "gpu._.x"},
		{"gpu.a b", "gpu.a_b"},
		{"gpu.a:b", "gpu.a_b_2"},     // a name is given once in a scope
		{"gpu.v[1]", "gpu.v_1"},      // whatever it is made from
		{"gpu.v_1", "gpu.v_1_2"},     //
		{"gpu.v_1.x", "gpu.v_1_3.x"}, // a scope and a variable have different names, too
		{"gpu.index[-1]", "gpu.index__1_"},
		{"top", "top"},
	}
	var paths []string
	for _, w := range want {
		paths = append(paths, w[0])
	}
	got := map[string]string{}
	tree(paths...).find(pattern{"**"}, func(v *variable) { got[v.sig.Path] = strings.Join(v.names(), ".") })
	for _, w := range want {
		assert.Equal(t, w[1], got[w[0]], w[0])
	}
}

func TestIdentifiers(t *testing.T) {
	seen := map[string]bool{}
	last := 0
	for n := range 94 + 94*94 + 10 {
		id := idCode(n)
		require.False(t, seen[id], id)
		seen[id] = true
		require.GreaterOrEqual(t, len(id), last, "shortest first")
		last = len(id)
		for _, c := range []byte(id) {
			require.True(t, c >= 33 && c <= 126, id)
		}
	}
	assert.Len(t, idCode(93), 1)
	assert.Len(t, idCode(94), 2)
	assert.Len(t, idCode(94+94*94), 3)
}

func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= 64; width++ {
		vars := make([]*variable, 200)
		for i := range vars {
			vars[i] = signalOf[uint64]("x", width)
		}
		var b bytes.Buffer
		e, err := newEncoder(&b, vars)
		require.NoError(t, err)
		mask := vars[0].mask()
		for _, v := range []uint64{
			0, 1, mask, mask / 2, mask/2 + 1, r.Uint64() & mask,
			r.Uint64() & mask >> (width / 2),
		} {
			id := r.IntN(len(vars))
			b.Reset()
			e.change(uint32(id), v)
			e.flush()
			want := "b" + strconv.FormatUint(v, 2) + " " + idCode(id) + "\n"
			if width == 1 {
				want = strconv.FormatUint(v, 2) + idCode(id) + "\n"
			}
			require.Equal(t, want, b.String())
		}
	}
}

// These are types of values, with String methods that work and that fail.
type (
	plain    uint8
	stringer uint8 // as written by the tool stringer
	lookup   uint8 // indexes a table without a check
	level    int8
	power    bool
	ratio    float32
	wide     uint64
)

func (s stringer) String() string {
	if s > 1 {
		return fmt.Sprintf("stringer(%d)", uint8(s))
	}
	return [...]string{"Off", "On"}[s]
}
func (x lookup) String() string { return [...]string{"A", "", "C"}[x] }
func (l level) String() string  { return map[level]string{-1: "Low", 0: "Mid", 1: "High"}[l] }
func (p power) String() string {
	if p {
		return "Up"
	}
	return "Down"
}
func (r ratio) String() string { return "half" }
func (w wide) String() string {
	if w == 1023 || w == 1024 {
		return fmt.Sprint("at", uint64(w))
	}
	return strconv.FormatUint(uint64(w), 10)
}

func TestEnumerations(t *testing.T) {
	for _, c := range []struct {
		v    *variable
		want []named
	}{
		{signalOf[uint8]("x", 8), nil},
		{signalOf[plain]("x", 8), nil},
		{signalOf[stringer]("x", 8), []named{{0, "Off"}, {1, "On"}}},
		{signalOf[stringer]("x", 1), []named{{0, "Off"}, {1, "On"}}},
		{signalOf[lookup]("x", 8), []named{{0, "A"}, {2, "C"}}},
		{signalOf[level]("x", 8), []named{{0, "Mid"}, {1, "High"}, {0xff, "Low"}}},
		{signalOf[level]("x", 3), []named{{0, "Mid"}, {1, "High"}, {7, "Low"}}},
		{signalOf[power]("x", 1), []named{{0, "Down"}, {1, "Up"}}},
		{signalOf[ratio]("x", 32), nil},
		{signalOf[wide]("x", 64), []named{{1023, "at1023"}}},
	} {
		assert.Equal(t, c.want, c.v.enumeration(), "%s of %d bits", c.v.sig.Type, c.v.width)
	}
}

func TestValuesOfTriggers(t *testing.T) {
	for _, c := range []struct {
		v    *variable
		text string
		want uint64 // none: an error
		ok   bool
	}{
		{signalOf[uint8]("x", 8), "255", 255, true},
		{signalOf[uint8]("x", 8), "0xfF", 255, true},
		{signalOf[uint8]("x", 8), "0b101", 5, true},
		{signalOf[uint8]("x", 8), "256", 0, false},
		{signalOf[uint8]("x", 8), "-1", 0, false},
		{signalOf[int8]("x", 8), "-1", 255, true},
		{signalOf[int8]("x", 8), "-128", 128, true},
		{signalOf[int8]("x", 8), "-129", 0, false},
		{signalOf[int8]("x", 5), "-16", 16, true},
		{signalOf[int8]("x", 5), "-17", 0, false},
		{signalOf[uint64]("x", 64), "18446744073709551615", 1<<64 - 1, true},
		{signalOf[int64]("x", 64), "-9223372036854775808", 1 << 63, true},
		{signalOf[bool]("x", 1), "true", 1, true},
		{signalOf[bool]("x", 1), "false", 0, true},
		{signalOf[level]("x", 8), "Low", 255, true},
		{signalOf[level]("x", 8), "low", 0, false},
	} {
		got, err := c.v.parseValue(c.text)
		assert.Equal(t, c.ok, err == nil, "%s: %v", c.text, err)
		assert.Equal(t, c.want, got, c.text)
	}
}

func TestUnknownNameOfALongEnumeration(t *testing.T) {
	_, err := signalOf[month]("x", 8).parseValue("septembre")
	assert.EqualError(t, err, `value "septembre": expected a number of 8 bits or a name of waves.month, perhaps September`)
}

type month uint8

func (m month) String() string { return time.Month(m).String() }

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a.b", "a.b", true},
		{"a.b", "a.b.c", true},
		{"a.b", "a", false},
		{"a.b", "x.a.b", false},
		{"b", "a.b", false},
		{"*.b", "a.b", true},
		{"*", "a.b", true},
		{"**.b", "a.b", true},
		{"**.b", "b", true},
		{"**.b", "a.x.y.b.c", true},
		{"**.b.d", "a.x.y.b.c", false},
		{"a.**.d", "a.d", true},
		{"a.**.d", "a.b.c.d", true},
		{"a.**.d", "a.b.c.dd", false},
		{"a.**", "a.b", true},
		{"**", "a", true},
		{"a.x*z", "a.xyyz", true},
		{"a.x*y*z", "a.xzyyxz", true},
		{"a.x*y*z", "a.xzyyxzw", false},
		{"a.?[1]", "a.b[1]", true},
		{"a.?[1]", "a.b[11]", false},
		{"a.b[*]", "a.b[11]", true},
		{"a.b", "a.b[11][2]", true},
		{"a.b[11]", "a.b", false},
		{"a.b*", "a.b[11]", true},
		{"", "a", false},
	} {
		got := false
		tree(c.path).find(parsePattern(c.pattern), func(*variable) { got = true })
		assert.Equal(t, c.want, got, "%s of %s", c.pattern, c.path)
	}
}

func TestClockEdges(t *testing.T) {
	fs := func(cycle uint64) uint64 { return cycle * 10 }
	for _, c := range []struct {
		from  uint64
		value uint64
		edges []uint64
	}{
		{0, 1, []uint64{5, 10, 15, 20}},
		{4, 1, []uint64{5, 10}},
		{5, 0, []uint64{10, 15}}, // the edge at the start is in the value
		{9, 0, []uint64{10, 15}},
		{10, 1, []uint64{15, 20}},
		{71, 1, []uint64{75, 80, 85}},
	} {
		k := clock{fs: fs}
		value := k.seek(c.from)
		assert.Equal(t, c.value, value, "at %d", c.from)
		for _, e := range c.edges {
			assert.Equal(t, e, k.next, "from %d", c.from)
			value = 1 - value
			assert.Equal(t, value, k.toggle(), "from %d at %d", c.from, e)
		}
	}
}

// TestCycleReportedTwice: a Sim may report the end of a cycle twice. The second report replaces
// only the earlier changes of the variables that change again.
func TestCycleReportedTwice(t *testing.T) {
	var w, a, b uint8
	variables := []*variable{signalOf[uint8]("w", 8), signalOf[uint8]("a", 8), signalOf[uint8]("b", 4)}
	variables[0].sig.Kind = rtl.WireSignal
	for i, p := range []*uint8{&w, &a, &b} {
		v := variables[i]
		v.id, v.sig.Group, v.sig.Ptr, v.sig.Size = i, i, unsafe.Pointer(p), 1
	}
	p := newProbe(&island{fs: func(cycle uint64) uint64 { return cycle * 10 }, vars: variables})
	all := []uint64{7}
	w, a = 1, 1
	p.observe(4, all) // w at 40, a at 50
	a, b = 2, 2
	p.observe(4, all) // a and b at 50
	w = 3
	p.observe(5, all) // w at 50
	b = 0xf2
	p.observe(6, all) // nothing: b has four bits
	a = 1
	p.observe(6, all) // a at 70
	type at struct {
		fs uint64
		change
	}
	var got []at
	for p.next() != never {
		fs := p.next()
		for _, c := range p.take() {
			got = append(got, at{fs, c})
		}
	}
	assert.Equal(t, []at{
		{40, change{1, 0}},
		{50, change{2, 1}},
		{50, change{2, 2}},
		{50, change{3, 0}},
		{70, change{1, 1}},
	}, got)
	require.NoError(t, p.failed)
}
