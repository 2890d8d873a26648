package gpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/sm"
	"divergo/sm/divergence"
)

func TestPresetsAreMachines(t *testing.T) {
	for _, p := range Presets() {
		c := p.Config()
		assert.NoError(t, c.Check(), p.Name)
		found, err := FindPreset(p.Name)
		require.NoError(t, err)
		assert.Equal(t, p.Name, found.Name)
	}
	_, err := FindPreset("keplar")
	assert.EqualError(t, err, `unknown preset "keplar"; did you mean "kepler"?`)
}

// The numbers of the two papers that have a table.
func TestPresetNumbers(t *testing.T) {
	for _, test := range []struct {
		preset string
		want   map[string]string
	}{
		{"tbc", map[string]string{
			"gpu.sms": "30", "sm.warp_size": "32", "sm.simd_width": "8", "sm.threads": "1024", "sm.registers": "16384",
			"clocks.core_mhz": "1300", "clocks.icnt_mhz": "650", "clocks.dram_mhz": "800",
			"dram.channels": "8", "dram.queue": "32", "dram.scheduler": "frfcfs", "dram.bus_bytes": "8",
			"dram.t_cl": "10", "dram.t_rp": "10", "dram.t_rc": "35", "dram.t_ras": "25", "dram.t_rcd": "12",
			"dram.t_rrd": "8",
			"l1.size":    "32768", "l1.line": "64", "l1.assoc": "8", "l2.size": "1048576", "l2.line": "64",
			"l2.assoc":    "64",
			"shared.size": "16384", "divergence.mechanism": "pdom",
		}},
		{"slp", map[string]string{
			"gpu.sms": "30", "sm.warp_size": "32", "sm.simd_width": "32", "sm.threads": "1024", "sm.registers": "16384",
			"shared.size": "32768", "l1.size": "32768", "l1.line": "64", "l1.assoc": "8", "l2.size": "1048576",
			"l2.line": "64", "l2.assoc": "64",
			"dram.channels": "8", "dram.scheduler": "frfcfs",
		}},
		{"ppc", map[string]string{"sm.warp_size": "16"}},
	} {
		p, err := FindPreset(test.preset)
		require.NoError(t, err)
		c := p.Config()
		for name, want := range test.want {
			k, err := findKey(name)
			require.NoError(t, err)
			assert.Equal(t, want, k.Get(&c), "%s %s", test.preset, name)
		}
	}
}

func TestSet(t *testing.T) {
	for _, test := range []struct{ assignment, fault string }{
		{"sm.simd_width=16", ""},
		{" sm.simd_width = 0x10 ", ""},
		{"sm.scheduler=gto", ""},
		{`sm.scheduler="gto"`, ""},
		{"dram=hbm2", ""},
		{"dram=hbm3", `unknown DRAM "hbm3"; did you mean "hbm2"?`},
		{"sm.simd_width", `"sm.simd_width": want key=value, for example sm.simd_width=16`},
		{"sm.simd_widht=16", `unknown key "sm.simd_widht"; did you mean "sm.simd_width"?`},
		{"colour=blue", `unknown key "colour"; "divergo list keys" shows all`},
		{"sm.simd_width=wide", `sm.simd_width = "wide": want an integer (lanes), a power of two from 1 to sm.warp_size`},
		{"sm.simd_width=", `sm.simd_width = "": want an integer (lanes), a power of two from 1 to sm.warp_size`},
		{"sm.simd_width=1.5", `sm.simd_width = "1.5": want an integer (lanes), a power of two from 1 to sm.warp_size`},
		{"gpu.sms=4294967296", `gpu.sms = "4294967296": want an integer, 1 to 1024`},
		{"sm.scheduler=gtp", `sm.scheduler: unknown value "gtp"; did you mean "gto"?`},
	} {
		c := Default()
		err := c.Set(test.assignment)
		if test.fault != "" {
			assert.EqualError(t, err, test.fault, test.assignment)
			assert.Equal(t, Default(), c, "a refused value changes nothing")
		} else {
			assert.NoError(t, err, test.assignment)
			assert.NotEqual(t, Default(), c)
		}
	}
}

// Set and Get are inverse for every key of every preset.
func TestSetReadsWhatGetWrites(t *testing.T) {
	for _, p := range Presets() {
		from, to := p.Config(), Config{}
		for _, k := range Keys() {
			require.NoError(t, k.Set(&to, k.Get(&from)), k.Name)
		}
		assert.Equal(t, from, to)
	}
}

func TestCheckNamesTheKey(t *testing.T) {
	for _, test := range []struct{ assignment, want string }{
		{"gpu.sms=0", "gpu.sms = 0: want 1 to 1024"},
		{"clocks.core_mhz=-1", "clocks.core_mhz = -1: want 1 to 100000"},
		{"sm.simd_width=0", "sm.simd_width = 0:"},
		{"sm.warp_size=33", "sm.warp_size = 33:"},
		{"l1.line=48", "l1.line = 48: want a power of two"},
		{"l1.line=32", "l2.line = 64: want l1.line = 32"},
		{"l1.mshrs=257", "l1.mshrs = 257: want 1 to 256"},
		{"icnt.concentration=0", "icnt.concentration = 0:"},
		{"sm.warp_size=24", "sm.warp_size = 24: want a power of two"},
		{"sm.registers=64", "sm.registers = 64: want at least sm.warp_size * sm.reg_alloc = 32 * 4 = 128, those of a warp"},
		{"dram.t_rc=30", "dram.t_rc = 30: want at least dram.t_ras + dram.t_rp = 25 + 10 = 35"},
		{"dram.t_ras=8", "dram.t_ras = 8: want at least dram.t_rcd = 12"},
		{"shared.size=0x1000000 gpu.sms=64", "gpu.sms = 64: with sm.registers, l1.size, const.size, icache.size, texture.size and shared.size in each SM, and l2.size for each of dram.channels = 8, the chip stores 1088421888 bytes: want at most 1073741824"},
	} {
		c := Default()
		for assignment := range strings.FieldsSeq(test.assignment) {
			require.NoError(t, c.Set(assignment))
		}
		assert.ErrorContains(t, c.Check(), test.want)
	}
}

// TestLimits checks the largest machines, and those that are a little larger.
func TestLimits(t *testing.T) {
	for _, test := range []struct{ set, fault string }{
		{"gpu.sms=1024", ""},
		{"gpu.sms=1024 icnt.concentration=1", ""},
		{"gpu.sms=1024 icnt.concentration=64", ""},
		{"gpu.sms=1024 sm.threads=2048 sm.ctas=32", ""},
		// the SMs and the L2 of a GH100, with 1,024 SMs
		{"gpu.sms=1024 sm.registers=65536 l1.size=131072 shared.size=131072 dram.channels=48", ""},
		{"gpu.sms=1025", "gpu.sms = 1025: want 1 to 1024"},
		{"gpu.sms=1024 icnt.concentration=65", "icnt.concentration = 65: want 1 to 64"},
		{"sm.threads=2049", "sm.threads = 2049: want 32 (sm.warp_size) to 2048"},
		{"sm.threads=2047", "sm.threads = 2047: want a multiple of sm.warp_size = 32"},
		{"sm.threads=2048 sm.warp_size=16 sm.simd_width=8", "sm.threads = 2048: 128 warps of sm.warp_size = 16 threads, want at most 64 warps"},
		{"gpu.sms=1024 shared.size=0x100000", "gpu.sms = 1024: with sm.registers, l1.size, const.size, icache.size, texture.size and shared.size in each SM, and l2.size for each of dram.channels = 8, the chip stores 1182793728 bytes: want at most 1073741824"},
	} {
		c := Default()
		for assignment := range strings.FieldsSeq(test.set) {
			require.NoError(t, c.Set(assignment))
		}
		if err := c.Check(); test.fault == "" {
			assert.NoError(t, err, test.set)
		} else {
			assert.EqualError(t, err, test.fault, test.set)
		}
	}
}

// One Check reports the faults of all blocks.
func TestCheckTellsAll(t *testing.T) {
	c := Default()
	c.GPU.SMs = 0
	c.SM.WBPorts = 0
	c.DRAM.Banks = 3
	err := c.Check()
	for _, key := range []string{"gpu.sms", "sm.wb_ports", "dram.banks"} {
		assert.ErrorContains(t, err, key)
	}
}

func TestLoad(t *testing.T) {
	scheduler, err := findKey("sm.scheduler")
	require.NoError(t, err)
	for _, test := range []struct{ text, fault string }{
		{"gpu.sms = 4\n[sm]\nscheduler = \"gto\"\n", ""},
		{"", ""},
		{
			"[gpu]\n  smx = 4\n[xyz]\nb = 1",
			"m.toml:2:3: unknown key \"gpu.smx\"; did you mean \"gpu.sms\"?\n      smx = 4\n      ^\n" +
				"m.toml:3:2: unknown key \"xyz\"; \"divergo list keys\" shows all\n    [xyz]\n     ^",
		},
		{"[gpu]\nsms = \"four\"\n", "m.toml:2:7: gpu.sms: want an integer, 1 to 1024\n    sms = \"four\"\n          ^"},
		{"[gpu]\nsms = 2.5\n", "m.toml:2:7: gpu.sms: want an integer, 1 to 1024\n    sms = 2.5\n          ^"},
		{"[sm]\n\tscheduler = 3\n", "m.toml:2:14: sm.scheduler: want one of " + strings.Join(scheduler.Words, ", ") +
			"\n    \tscheduler = 3\n    \t            ^"},
		{"gpu = 3\n", "m.toml:1:7: gpu: a value of the wrong type; [gpu] is a table, whose keys \"divergo list keys\" shows with their types\n    gpu = 3\n          ^"},
		{"[gpu]\nsms = 1\nsms = 2\n", "m.toml:3:1: key sms is already defined\n    sms = 2\n    ^"},
		{"[gpu\n", "m.toml:1:5: expected ']' to close table name\n    [gpu\n        ^"},
		{"\xff\xfe\x00", "m.toml:1:1: "},
	} {
		c := Default()
		err := c.Load("m.toml", []byte(test.text))
		if test.fault == "" {
			require.NoError(t, err, test.text)
			continue
		}
		require.Error(t, err, test.text)
		assert.True(t, strings.HasPrefix(err.Error(), test.fault), "%q\n%v\nwant\n%s", test.text, err, test.fault)
		assert.Equal(t, Default(), c, "a refused document changes nothing")
	}
}

// The machine that a result prints can be built again from the result.
func TestResolvedConfigurationReadsBack(t *testing.T) {
	for _, p := range Presets() {
		from, to := p.Config(), Config{}
		require.NoError(t, to.Load("resolved.toml", from.TOML()))
		assert.Equal(t, from, to, p.Name)
	}
}

func ExampleConfig_Set() {
	c := Default()
	fmt.Println(c.Set("sm.simd_width=16"), c.SM.SIMDWidth)
	fmt.Println(c.Set("sm.smid_width=16"))
	// Output:
	// <nil> 16
	// unknown key "sm.smid_width"; did you mean "sm.simd_width"?
}

// The registers and sets of the hardware limit the ranges of keys.
func TestRangesFitTheHardware(t *testing.T) {
	for name, most := range map[string]int{
		"sm.warp_size": isa.MaxLanes, "sm.ctas": sm.MaxCTAs, "sm.threads": sm.MaxWarps * isa.RowLanes,
		"divergence.token_window": divergence.SpillWords,
		"l1.pending":              memsys.MaxPending, "l1.mshrs": memsys.MaxMSHRs, "l1.mshr_merge": memsys.MaxMerge,
		"l1.assoc": memsys.MaxAssoc, "l1.line": memsys.MaxLine,
		"l2.mshrs": memsys.MaxMSHRs, "l2.assoc": memsys.MaxAssoc, "l2.line": memsys.MaxLine,
		"shared.banks": memsys.MaxBanks,
		"dram.banks":   dram.MaxBanks, "dram.queue": dram.MaxQueue, "dram.channels": dram.MaxChannels,
		"dram.bus_bytes": dram.MaxLine,
	} {
		k, err := findKey(name)
		require.NoError(t, err)
		assert.Equal(t, most, k.Range.High.N, name)
	}
}

// Lines of a document are found for every way to write a key.
func TestLocate(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"sm.warp_size = 3", "m.toml:1:16: sm.warp_size = 3: want a power of two from 1 to 64\n    sm.warp_size = 3\n                   ^"},
		{
			"[sm]\n\t\"warp_size\"=3 # odd\r\n",
			"m.toml:2:14: sm.warp_size = 3: want a power of two from 1 to 64\n    \t\"warp_size\"=3 # odd\n    \t            ^",
		},
		{"sm = {simd_width = 8, warp_size = 3}", "m.toml:1:35: sm.warp_size = 3: "},
		{"[dram]\nt_rp=20\n[ sm . ]\n", ""},
		{"[dram]\nt_rp=20\n", "m.toml:2:6: dram.t_rc = 35: want at least dram.t_ras + dram.t_rp = 25 + 20 = 45"},
		{"[dram]\nt_rp=20\nt_rc=30", "m.toml:3:6: dram.t_rc = 30: "},
	} {
		c := Default()
		if err := c.Load("m.toml", []byte(test.text)); test.want == "" {
			assert.Error(t, err)
			continue
		} else {
			require.NoError(t, err)
		}
		err := Locate(c.Check(), "m.toml", []byte(test.text), nil)
		require.Error(t, err, test.text)
		assert.True(t, strings.HasPrefix(err.Error(), test.want), "%v\nwant\n%s", err, test.want)
	}
	assert.NoError(t, Locate(nil, "", nil, nil))
	c := Default()
	c.SM.WarpSize = 3
	assert.EqualError(t, Locate(c.Check(), "m.toml", []byte("sm.warp_size = 5"), []string{"sm.warp_size"}),
		"sm.warp_size = 3: want a power of two from 1 to 64")
}
