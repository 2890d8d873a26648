package vcdread_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/waves/vcdread"
)

// sample follows the examples of IEEE 1364-2005, clause 18. A vector shorter than its width extends
// with 0, or with x or z if it begins with them.
const sample = `$date today $end
$version any
 tool $end
$comment $scope is no scope here $end
$timescale 10 ps $end
$scope module top $end
  $var reg 4 ! count [3:0] $end
  $scope begin sub $end
    $var wire 1 " ready $end
    $var wire 64 long_id wide[63:0] $end
    $var wire 4 ! alias $end
  $upscope $end
$upscope $end
$enddefinitions $end
$dumpvars
bx !
x"
b0 long_id
$end
#5
b10 !
1"
#5
b11 !
#20
b1111111111111111111111111111111111111111111111111111111111111111 long_id
BZ1 !
0"
#30
`

func TestReadAll(t *testing.T) {
	d, err := vcdread.ReadAll(strings.NewReader(sample))
	require.NoError(t, err)
	assert.Equal(t, "10 ps", d.Timescale)
	assert.Equal(t, []vcdread.Signal{
		{Path: "top.count", Kind: "reg", Width: 4, Net: 0},
		{Path: "top.sub.ready", Kind: "wire", Width: 1, Net: 1},
		{Path: "top.sub.wide", Kind: "wire", Width: 64, Net: 2},
		{Path: "top.sub.alias", Kind: "wire", Width: 4, Net: 0},
	}, d.Signals)
	assert.EqualValues(t, 30, d.End)
	assert.Equal(t, []vcdread.Change{
		{Time: 0, Net: 0, Unknown: 15},
		{Time: 5, Net: 0, Value: 3},
		{Time: 20, Net: 0, Value: 1, Unknown: 14},
	}, d.Changes[0], "the last of two changes at a time counts")
	for _, c := range []struct {
		path string
		time uint64
		want uint64
		ok   bool
	}{
		{"top.sub.ready", 0, 0, false},
		{"top.sub.ready", 4, 0, false},
		{"top.sub.ready", 5, 1, true},
		{"top.sub.ready", 19, 1, true},
		{"top.sub.ready", 1000, 0, true},
		{"top.sub.wide", 19, 0, true},
		{"top.sub.wide", 20, 1<<64 - 1, true},
		{"top.sub.alias", 7, 3, true},
		{"top.nothing", 7, 0, false},
	} {
		got, err := d.Value(c.path, c.time)
		assert.Equal(t, c.ok, err == nil, "%s at %d: %v", c.path, c.time, err)
		assert.Equal(t, c.want, got, "%s at %d", c.path, c.time)
	}
}

func TestBeforeTheFirstChangeAllIsUnknown(t *testing.T) {
	d, err := vcdread.ReadAll(strings.NewReader("$scope module m $end $var reg 1 ! a $end $upscope $end $enddefinitions $end #10 1!"))
	require.NoError(t, err)
	assert.NotZero(t, d.At(0, 9).Unknown)
	assert.EqualValues(t, 10, d.Begin)
}

func TestErrors(t *testing.T) {
	const head = "$scope module m $end $var reg 2 ! a [1:0] $end $upscope $end $enddefinitions $end "
	for text, want := range map[string]string{
		"":                     "ends before $enddefinitions",
		"$scope module":        "$scope without $end",
		"$scope m $end":        "expected a type and a name",
		"$upscope $end":        "$upscope outside a scope",
		"$var reg 2 ! $end":    "expected a kind, a width",
		"$var reg 65 ! a $end": "width 65, expected 1 to 64",
		"$var reg x ! a $end":  "width x",
		"#0":                   `"#0" among the declarations`,
		"$scope module m $end $enddefinitions $end": "scope m is not closed",
		head + "#5 #4":    "time #4 after 5",
		head + "#5x":      "time #5x",
		head + "1?":       `no variable has the identifier "?"`,
		head + "b101 !":   `value "101" of m.a, expected at most 2 digits`,
		head + "b !":      "expected at most 2 digits",
		head + "b12 !":    `value "12" of m.a, expected digits of 01xz`,
		head + "b10":      "ends within the change",
		head + "#3 hello": `"hello" at time 3`,
	} {
		_, err := vcdread.ReadAll(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
	broken := errors.New("broken")
	_, err := vcdread.NewReader(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
	r, err := vcdread.NewReader(io.MultiReader(strings.NewReader(head+"#5 b1 ! "), iotest.ErrReader(broken)))
	require.NoError(t, err)
	assert.True(t, r.Next())
	assert.False(t, r.Next())
	assert.ErrorIs(t, r.Err(), broken)
}

// The example counts the rising edges of a signal without keeping the dump.
func ExampleReader() {
	r, err := vcdread.NewReader(strings.NewReader(sample))
	if err != nil {
		fmt.Println(err)
		return
	}
	rises := 0
	for r.Next() {
		if c := r.Change(); r.Net(c.Net).Path == "top.sub.ready" && c.Value == 1 {
			rises++
		}
	}
	fmt.Println(rises, r.Err())
	// Output: 1 <nil>
}
