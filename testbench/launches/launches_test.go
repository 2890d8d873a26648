package launches_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/testbench"
	"divergo/testbench/launches"
)

// twice adds 1 to the words of a, into b, then 1 to those of b, into a.
const twice = `{
  "schema": "divergo.launch.v1",
  "seed": 5,
  "module": "testdata/step.ptx",
  "buffers": [
    {"name": "a", "init": "buf:iota:u32:48"},
    {"name": "b", "init": "buf:rand:u32:48", "seed": 9}
  ],
  "launches": [
    {"kernel": "step", "grid": [2], "block": 32, "args": ["a", "b", "u32:48"]},
    {"grid": [2, 1], "block": [32, 1, 1], "args": ["b", "a", "u32:48"]}
  ]
}`

func session(t testing.TB) *testbench.Session {
	cfg := gpu.Default()
	cfg.GPU.SMs = 1
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func words(s *testbench.Session, addr uint64, n int) []uint32 {
	data, list := make([]byte, 4*n), make([]uint32, n)
	s.Read(addr, data)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return list
}

// TestRun checks that launches follow each other on the same memory and share the program.
func TestRun(t *testing.T) {
	f, err := launches.Parse("twice.json", []byte(twice))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.FromSlash("testdata/step.ptx")}, f.Files())
	p, err := f.Load()
	require.NoError(t, err)
	assert.Same(t, p.Steps[0].Prog, p.Steps[1].Prog, "a kernel by its name, and as the only one")
	s := session(t)
	var order []int
	placed, err := p.Run(s, func(number int, l testbench.Launch) error {
		order = append(order, number)
		return s.Launch(l)
	})
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1}, order)
	require.Len(t, s.Runs, 2)
	for i, v := range words(s, placed.Addrs[0], 48) {
		assert.Equal(t, uint32(i+2), v)
	}
	for i, v := range words(s, placed.Addrs[1], 48) {
		assert.Equal(t, uint32(i+1), v)
	}
}

// TestSeeds checks the seeds of random data. A buffer has its own seed, or one from the file's seed
// and its number. An argument's own buffer has the file's seed and the argument's number, as for
// --arg.
func TestSeeds(t *testing.T) {
	text := strings.Replace(twice, "buf:iota:u32:48", "buf:rand:u32:48", 1)
	text = strings.Replace(text, `"b", "u32:48"`, `"buf:rand:u32:48", "u32:48"`, 1)
	f, err := launches.Parse("seeds.json", []byte(text))
	require.NoError(t, err)
	p, err := f.Load()
	require.NoError(t, err)
	require.Len(t, p.Buffers, 3)
	for i, seed := range []uint64{5, 9, 5 + 2 + 1} {
		want, err := testbench.ParseArg("buf:rand:u32:48", seed)
		require.NoError(t, err)
		assert.Equal(t, want.Data, p.Buffers[i].Data, "buffer %d", i)
	}
	assert.Equal(t, "to", p.Buffers[2].Name)
}

// TestOld reads the earlier format of counterexamples.
func TestOld(t *testing.T) {
	dir := t.TempDir()
	ptx, err := os.ReadFile("testdata/step.ptx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.ptx"), ptx, 0o644))
	name := filepath.Join(dir, "launch.json")
	require.NoError(t, os.WriteFile(name,
		[]byte(`{"schema": "divergo.counterexample.v1", "mechanism": "tbc", "checker": "memory", "seed": 3,
		"grid": [2, 1, 1], "block": [32, 1, 1], "args": ["buf:rand:u32:64", "buf:zero:256", "u32:64"]}`), 0o644))
	f, err := launches.Read(name)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "machine.toml"), f.MachinePath())
	assert.Equal(t, "tbc", f.Mechanism)
	p, err := f.Load()
	require.NoError(t, err)
	want, err := testbench.ParseArg("buf:rand:u32:64", 3)
	require.NoError(t, err)
	assert.Equal(t, want.Data, p.Buffers[0].Data)
	assert.Equal(t, [3]uint32{2, 1, 1}, p.Steps[0].Grid)
}

// TestWritten checks that a written file can be read again.
func TestWritten(t *testing.T) {
	f, err := launches.Parse("twice.json", []byte(twice))
	require.NoError(t, err)
	text, err := json.MarshalIndent(f, "", "  ")
	require.NoError(t, err)
	again, err := launches.Parse("twice.json", text)
	require.NoError(t, err)
	second, err := json.MarshalIndent(again, "", "  ")
	require.NoError(t, err)
	assert.Equal(t, string(text), string(second))
	assert.Contains(t, string(text), `"init": "buf:iota:u32:48"`)
}

// TestErrors checks that each error names its place and the most similar word.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{`"buffers"`, `"bufers"`, `f.json:5:3: a launch file: unknown member "bufers"; did you mean "buffers"?`},
		{
			`"kernel": "step"`, `"kernl": "step"`,
			`f.json:10:6: a launch: unknown member "kernl"; did you mean "kernel"?`,
		},
		{
			`"kernel": "step"`, `"kernel": "stop"`,
			`f.json:10:16: testdata/step.ptx: no kernel "stop"; did you mean step?`,
		},
		{`"seed": 9`, `"sed": 9`, `f.json:7:46: a buffer: unknown member "sed"; did you mean "seed"?`},
		{`"seed": 9`, `"seed": -9`, `f.json:7:54: want an integer from 0 to 18446744073709551615`},
		{`"name": "b"`, `"name": "a"`, `f.json:7:14: there is a buffer "a" already`},
		{`"name": "b", `, ``, `f.json:7:5: want a member "name"`},
		{`buf:rand:u32:48`, `buf:rnd:u32:48`, `f.json:7:27: argument "buf:rnd:u32:48": unknown type "rnd"`},
		{`buf:rand:u32:48`, `buf:@nowhere`, `f.json:7:27: argument "buf:@nowhere": stat nowhere`},
		{`"buf:rand:u32:48"`, `"u32:48"`, `f.json:7:27: want a member "init", for example "buf:zero:1024"`},
		{`"args": ["a", "b"`, `"args": ["a", "c"`, `f.json:10:64: unknown buffer "c"; want one of a, b`},
		{`"args": ["a", "b"`, `"args": ["a"`, `f.json:10:58: parameter 1, to (.u64): given u32:48, want `},
		{`"args": ["a", "b"`, `"args": ["a", 7`, `f.json:10:64: want a text in quotes`},
		{`"grid": [2]`, `"writes": ["c+0:00"], "grid": [2]`, `f.json:10:35: write "c+0:00": want NAME+OFFSET:BYTES`},
		{`"grid": [2]`, `"writes": ["a+x:00"], "grid": [2]`, `f.json:10:35: write "a+x:00": want NAME+OFFSET:BYTES`},
		{`"grid": [2]`, `"writes": ["a+191:0000"], "grid": [2]`, `write "a+191:0000": buffer a has 192 bytes`},
		{`"grid": [2]`, `"grid": [2, 1, 1, 1]`, `f.json:10:32: want [X], [X, Y] or [X, Y, Z]`},
		{`"grid": [2]`, `"grid": ["2"]`, `f.json:10:33: want an integer from 0 to 4294967295`},
		{`"block": 32`, `"block": 32, "block": 3`, `f.json:10:50: a launch: "block" is there twice`},
		{`divergo.launch.v1`, `divergo.launch.v2`, `f.json:2:13: want "divergo.launch.v1"`},
		{`"schema": "divergo.launch.v1",`, ``, `f.json:1:1: want a member "schema"`},
		{`"seed": 5`, `"mechanism": "tcb"`, `f.json:3:16: unknown mechanism "tcb"; did you mean "tbc"?`},
		{`testdata/step.ptx`, `testdata/stop.ptx`, `f.json:10:5: testdata/stop.ptx: no such file`},
		{`"seed": 5,`, `"seed": 5`, `f.json:4:3: no JSON: invalid character '"' after object key:value pair`},
	} {
		text := strings.Replace(twice, test.from, test.to, 1)
		require.NotEqual(t, twice, text, test.from)
		f, err := launches.Parse("f.json", []byte(text))
		if err == nil {
			_, err = f.Load()
		}
		if assert.Error(t, err, test.to) {
			assert.Contains(t, filepath.ToSlash(err.Error()), test.want)
		}
	}
	_, err := launches.Parse("f.json", []byte(twice[:len(twice)/2]))
	assert.ErrorContains(t, err, "the text ends in the middle of a value")
	_, err = launches.Parse("f.json", []byte(`{"schema": "divergo.launch.v1", "launches": []}`))
	assert.ErrorContains(t, err, `f.json:1:1: want a member "launches" with at least one`)
	_, err = launches.Parse("f.json", []byte(`[]`))
	assert.ErrorContains(t, err, `f.json:1:1: want a launch file, an object`)
}

// Example runs a launch file on a session.
func Example() {
	f, err := launches.Parse("twice.json", []byte(twice))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := f.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := gpu.Default()
	cfg.GPU.SMs = 1
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, err := p.Run(s, func(_ int, l testbench.Launch) error { return s.Launch(l) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(words(s, placed.Addrs[0], 4))
	// Output: [2 3 4 5]
}

// TestDifference finds the first differing launch and buffer.
func TestDifference(t *testing.T) {
	run := func(text string) []launches.State {
		f, err := launches.Parse("twice.json", []byte(text))
		require.NoError(t, err)
		p, err := f.Load()
		require.NoError(t, err)
		s := session(t)
		placed := p.Place(s)
		var states []launches.State
		for i, l := range placed.Launches {
			require.NoError(t, s.Launch(l))
			states = append(states, p.State(s, placed, i))
		}
		return states
	}
	one := run(twice)
	require.Len(t, one, 2)
	number, _ := launches.Difference(one, run(twice))
	assert.Equal(t, -1, number)
	// The second launch, of a, changes one element less.
	number, name := launches.Difference(one,
		run(strings.Replace(twice, `["b", "a", "u32:48"]`, `["b", "a", "u32:47"]`, 1)))
	assert.Equal(t, 1, number)
	assert.Equal(t, "buffer a", name)
	number, name = launches.Difference(one,
		run(strings.Replace(twice, `["a", "b", "u32:48"]`, `["a", "b", "u32:47"]`, 1)))
	assert.Equal(t, 0, number)
	assert.Equal(t, "buffer b", name)
	number, _ = launches.Difference(one[:1],
		run(strings.Replace(twice, `["b", "a", "u32:48"]`, `["b", "a", "u32:47"]`, 1)))
	assert.Equal(t, -1, number)
}

// TestWrites checks that the host writes before its launch.
func TestWrites(t *testing.T) {
	f, err := launches.Parse("twice.json", []byte(strings.Replace(twice, `{"grid": [2, 1]`,
		`{"writes": ["b+6:0001", "b+191:01"], "grid": [2, 1]`, 1)))
	require.NoError(t, err)
	p, err := f.Load()
	require.NoError(t, err)
	s := session(t)
	placed, err := p.Run(s, func(_ int, l testbench.Launch) error { return s.Launch(l) })
	require.NoError(t, err)
	for i, v := range words(s, placed.Addrs[0], 48) {
		assert.Equal(t, uint32(i+2)+map[int]uint32{1: 1 << 24, 47: 1 << 24}[i], v)
	}
	text, err := json.Marshal(f)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"writes":["b+6:0001","b+191:01"]`)
}
