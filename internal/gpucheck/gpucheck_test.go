package gpucheck

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
)

// apart are the forms that differ from those of an H200 for some operands, with the reasons.
var apart = []struct {
	why  string
	what *regexp.Regexp
}{
	{
		"the manual bounds the error", regexp.MustCompile(
			`^(ex2|lg2|sin|cos|tanh|rcp|sqrt|rsqrt|div)\.(approx|full)`),
	},
	{
		"from Volta on, the compiler of the driver replaces the instruction by others, which do not do what the " +
			"manual says for numbers out of range",
		regexp.MustCompile(`^v(add|sub|absdiff|min|max|shl|shr|set|mad)\.`),
	},
	{"the H200 drops digits of a NaN, and may have an infinity left", regexp.MustCompile(`^cvt\.rna\.\S*tf32`)},
}

// measured reads what forms gave on an H200.
func measured(t *testing.T) map[string]string {
	f, err := os.Open("testdata/h200.txt")
	require.NoError(t, err)
	defer f.Close()
	list := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if hash, form, _ := strings.Cut(lines.Text(), " "); hash != "#" {
			list[form] = hash
		}
	}
	return list
}

// TestForms holds each form against the H200, on the golden model and on the datapath.
func TestForms(t *testing.T) {
	h200 := measured(t)
	differ := make([]int, len(apart))
	var s *testbench.Session
	seen := map[string]bool{}
	for n, form := range ptx.Forms() {
		hash, there := h200[form]
		if !there || seen[form] || testing.Short() && n%16 != 0 {
			continue
		}
		seen[form] = true
		if len(seen)%64 == 1 {
			s = session(t)
		}
		c, err := Form(n)
		require.NoError(t, err)
		require.NoError(t, c.Expect())
		if got := fmt.Sprintf("%016x", c.Hash()); got != hash {
			why := -1
			for i := range apart {
				if apart[i].what.MatchString(form) {
					why = i
				}
			}
			if !assert.GreaterOrEqual(t, why, 0, "the golden model differs from an H200: %s", form) {
				continue
			}
			differ[why]++
		}
		assert.Equal(t, c.Hash(), emulate(t, s, *c).Hash(), "the datapath differs from the golden model: %s", form)
	}
	for i, n := range differ {
		assert.True(t, n > 0 || testing.Short(), "no form differs: %s", apart[i].why)
		t.Log(n, "forms:", apart[i].why)
	}
	t.Log(len(seen), "forms")
}

func session(t *testing.T) *testbench.Session {
	s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
	require.NoError(t, err)
	s.Emulates = func(int) bool { return true }
	return s
}

// emulate returns the case with the results of the functional model, which has the datapath of the machine.
func emulate(t *testing.T, s *testbench.Session, c Case) *Case {
	var args []testbench.Arg
	for _, b := range c.Buffers {
		args = append(args, testbench.Arg{Buffer: true, Bytes: uint64(len(b.Before)), Data: b.Before})
	}
	bank, buffers, err := s.Place(c.Prog, args)
	require.NoError(t, err)
	require.NoError(t, s.Launch(testbench.Launch{Prog: c.Prog, Grid: c.Grid, Block: c.Block, Params: bank}))
	c.Buffers = append([]Buffer(nil), c.Buffers...)
	for i := range c.Buffers {
		c.Buffers[i].After = make([]byte, len(c.Buffers[i].Before))
		s.Read(buffers[i].Addr, c.Buffers[i].After)
	}
	return &c
}

// TestKernels: the text for a GPU means what the kernel does.
func TestKernels(t *testing.T) {
	made, whys := 0, map[string]int{}
	for seed := range uint64(200) {
		c, why := Kernel(seed)
		if why != "" {
			whys[why]++
			continue
		}
		made++
		require.NoError(t, c.Expect(), "seed %d", seed)
		again := *c
		m, err := ptx.Parse("kernel.ptx", []byte(c.Text))
		require.NoError(t, err, "seed %d", seed)
		again.Prog, err = testbench.Program(m, "")
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, again.Expect(), "seed %d", seed)
		require.Equal(t, c.Hash(), again.Hash(), "seed %d", seed)
	}
	t.Log(made, "kernels; without:", whys)
	assert.Greater(t, made, 50)
}
