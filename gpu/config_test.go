package gpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every field of Config is described, and nothing else is.
func TestEveryKeyHasAnEntry(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		assert.Containsf(t, entries, k.Name, "the key table lacks %s", k.Name)
		assert.NotContains(t, k.Name, "..", "a field lacks its toml tag")
		assert.False(t, strings.HasSuffix(k.Name, "."), "a field lacks its toml tag: %s", k.Name)
		assert.NotEmpty(t, k.Doc, k.Name)
		assert.NotEmpty(t, k.Source, k.Name)
		assert.NotEmpty(t, k.Type, k.Name)
		if k.Type == "word" {
			assert.NotEmpty(t, k.Words, k.Name)
		}
		assert.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
	}
	for name := range entries {
		assert.True(t, seen[name], "the key table describes %s, which is no key", name)
	}
}

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
		{"tbc2011", map[string]string{
			"gpu.sms": "30", "sm.warp_size": "32", "sm.simd_width": "8", "sm.threads": "1024", "sm.registers": "16384",
			"clocks.core_mhz": "1300", "clocks.icnt_mhz": "650", "clocks.dram_mhz": "800",
			"dram.channels": "8", "dram.queue": "32", "dram.scheduler": "frfcfs", "dram.bus_bytes": "8",
			"dram.t_cl": "10", "dram.t_rp": "10", "dram.t_rc": "35", "dram.t_ras": "25", "dram.t_rcd": "12", "dram.t_rrd": "8",
			"l1.size": "32768", "l1.line": "64", "l1.assoc": "8", "l2.size": "1048576", "l2.line": "64", "l2.assoc": "64",
			"shared.size": "16384", "divergence.mechanism": "pdom",
		}},
		{"slp2013", map[string]string{
			"gpu.sms": "30", "sm.warp_size": "32", "sm.simd_width": "32", "sm.threads": "1024", "sm.registers": "16384",
			"shared.size": "32768", "l1.size": "32768", "l1.line": "64", "l1.assoc": "8", "l2.size": "1048576", "l2.line": "64", "l2.assoc": "64",
			"dram.channels": "8", "dram.scheduler": "frfcfs",
		}},
		{"ppc16", map[string]string{"sm.warp_size": "16"}},
	} {
		p, err := FindPreset(test.preset)
		require.NoError(t, err)
		c := p.Config()
		for name, want := range test.want {
			k, err := FindKey(name)
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
		{"sm.simd_width", `"sm.simd_width": want key=value, for example sm.simd_width=16`},
		{"sm.simd_widht=16", `unknown key "sm.simd_widht"; did you mean "sm.simd_width"?`},
		{"colour=blue", `unknown key "colour"; "divergo list keys" shows all`},
		{"sm.simd_width=wide", `sm.simd_width = "wide": want an integer (lanes)`},
		{"sm.simd_width=", `sm.simd_width = "": want an integer (lanes)`},
		{"sm.simd_width=1.5", `sm.simd_width = "1.5": want an integer (lanes)`},
		{"gpu.sms=4294967296", `gpu.sms = "4294967296": want an integer`},
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
		{"gpu.sms=0", "gpu.sms = 0: want 1 to 128"},
		{"clocks.core_mhz=-1", "clocks.core_mhz = -1: want 1 to 100000"},
		{"sm.simd_width=0", "sm.simd_width = 0:"},
		{"sm.warp_size=33", "sm.warp_size = 33:"},
		{"l1.line=48", "l1.line = 48: expected a power of two"},
		{"l1.line=32", "l2.line = 64: expected l1.line = 32"},
		{"l1.mshrs=257", "l1.mshrs = 257: expected 1 to 256"},
		{"icnt.concentration=0", "icnt.concentration = 0:"},
		{"sm.warp_size=24", "sm.warp_size = 24: want a power of two"},
	} {
		c := Default()
		require.NoError(t, c.Set(test.assignment))
		assert.ErrorContains(t, c.Check(), test.want)
	}
}

// The dispatcher shares a port with SMs too.
func TestCheckCountsCrossbarPorts(t *testing.T) {
	c := Default()
	c.GPU.SMs, c.Icnt.Concentration = 128, 1
	assert.EqualError(t, c.Check(), "icnt.concentration = 1: 128 SMs would need more than the 64 ports of a crossbar")
	c.Icnt.Concentration = 2
	assert.EqualError(t, c.Check(), "icnt.concentration = 2: 128 SMs would need more than the 64 ports of a crossbar")
	c.GPU.SMs = 127
	assert.NoError(t, c.Check())
}

// One Check tells of all blocks at once.
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
	for _, test := range []struct{ text, fault string }{
		{"gpu.sms = 4\n[sm]\nscheduler = \"gto\"\n", ""},
		{"", ""},
		{"[gpu]\n  smx = 4\n[xyz]\nb = 1", "m.toml:2:3: unknown key \"gpu.smx\"; did you mean \"gpu.sms\"?\n      smx = 4\n      ^\n" +
			"m.toml:3:2: unknown key \"xyz\"; \"divergo list keys\" shows all\n    [xyz]\n     ^"},
		{"[gpu]\nsms = \"four\"\n", "m.toml:2:7: gpu.sms: want an integer\n    sms = \"four\"\n          ^"},
		{"[gpu]\nsms = 2.5\n", "m.toml:2:7: gpu.sms: want an integer\n    sms = 2.5\n          ^"},
		{"[sm]\n\tscheduler = 3\n", "m.toml:2:14: sm.scheduler: want one of lrr, gto\n    \tscheduler = 3\n    \t            ^"},
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

// What a result prints as its machine makes the same machine again.
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
