package ptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/ptx"
)

func TestDemangled(t *testing.T) {
	for name, want := range map[string]string{ // as c++filt has them
		"_Z1kPf":                       "k(float*)",
		"_ZN3app5scaleEPfj":            "app::scale(float*, unsigned int)",
		"_Z6reduceIfLi256EEvPKT_PS0_i": "void reduce<float, 256>(float const*, float*, int)",
		"scale":                        "scale",
		"_Zwhatever":                   "_Zwhatever",
		"":                             "",
	} {
		assert.Equal(t, want, ptx.Demangled(name))
	}
	// Each substitution doubles the text.
	bomb := "_Z1fI1AE" + "v1BIS0_S0_E"
	for range 40 {
		bomb += "S_IS1_S1_E"
	}
	assert.Less(t, len(ptx.Demangled(bomb)), 1<<16)
}

func TestKernelByItsCName(t *testing.T) {
	text := ".version 7.0\n.target sm_70\n.address_size 64\n"
	for _, name := range []string{
		"_Z1kPf", "_ZN3app5scaleEPfj", "_ZN3lib5scaleEPfj", "_Z6reduceIfLi256EEvPKT_PS0_i",
		"_Z6reduceIdLi256EEvPKT_PS0_i", "_Z3addPf", "_Z3addPd", "plain", "k2",
	} {
		text += ".entry " + name + "() { ret; }\n"
	}
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	for _, c := range []struct{ name, want string }{
		{"k", "_Z1kPf"},
		{"_Z1kPf", "_Z1kPf"},
		{"k(float*)", "_Z1kPf"},
		{"k( float * )", "_Z1kPf"},
		{"plain", "plain"},
		{"k2", "k2"},
		{"app::scale", "_ZN3app5scaleEPfj"},
		{"reduce<float, 256>", "_Z6reduceIfLi256EEvPKT_PS0_i"},
		{"reduce<double,256>", "_Z6reduceIdLi256EEvPKT_PS0_i"},
		{"add(double*)", "_Z3addPd"},
	} {
		p, err := m.Program(c.name)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, p.Name, c.name)
	}
	for name, want := range map[string]string{
		"scale":  `kernel "scale" can be any of _ZN3app5scaleEPfj = app::scale(float*, unsigned int), _ZN3lib5scaleEPfj = lib::scale(float*, unsigned int)`,
		"reduce": `kernel "reduce" can be any of _Z6reduceIfLi256EEvPKT_PS0_i = void reduce<float, 256>(float const*, float*, int), _Z6reduceIdLi256EEvPKT_PS0_i = `,
		"add":    `kernel "add" can be any of _Z3addPf = add(float*), _Z3addPd = add(double*)`,
		"scael":  `no kernel "scael"; did you mean scale?`,
		"other":  `no kernel "other"; the file has _Z1kPf = k(float*), `,
		"":       "the file has several kernels: name one of _Z1kPf = k(float*), ",
	} {
		_, err := m.Program(name)
		require.Error(t, err, name)
		assert.True(t, strings.HasPrefix(err.Error(), "k.ptx: "+want), err.Error())
	}
}
