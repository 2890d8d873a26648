package cudac_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/kernels/cudac"
)

func write(t *testing.T, source string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	return file
}

func TestCompileKeepsBranches(t *testing.T) {
	need.Tool(t, cudac.Compiler)
	ptx, err := cudac.Compile(write(t, `
KERNEL k(int *a, int n) {
    int i = threadIdx.y;
    if (i < n && a[i] > 3) {
        if (i < 5) {
            a[i] = 1;
        } else {
            a[i] = 2;
        }
    }
}
`))
	require.NoError(t, err)
	assert.Contains(t, string(ptx), ".visible .entry k(")
	assert.Contains(t, string(ptx), "%tid.y")
	assert.Contains(t, string(ptx), `.file	1 "k.cu"`)
	assert.Contains(t, string(ptx), ".loc	1 4 ")
	assert.Regexp(t, `(?s)@%p\d+ bra.*@%p\d+ bra.*@%p\d+ bra`, string(ptx))
	assert.NotContains(t, string(ptx), "selp")
}

func TestCompileDoesNotContract(t *testing.T) {
	need.Tool(t, cudac.Compiler)
	ptx, err := cudac.Compile(write(t, `KERNEL k(float *a) { a[0] = a[1] * a[2] + a[3]; }`))
	require.NoError(t, err)
	assert.Contains(t, string(ptx), "mul.rn.f32")
	assert.Contains(t, string(ptx), "add.rn.f32")
}

func TestCompileReportsTheCompilersErrors(t *testing.T) {
	need.Tool(t, cudac.Compiler)
	_, err := cudac.Compile(write(t, "KERNEL k(int *a) {\n    a[0] = b;\n}\n"))
	require.Error(t, err)
	assert.ErrorContains(t, err, "k.cu:2:12: error: use of undeclared identifier 'b'")

	_, err = cudac.Compile(filepath.Join(t.TempDir(), "missing.cu"))
	assert.ErrorContains(t, err, "missing.cu")
}

func TestCompileNamesTheMissingCompiler(t *testing.T) {
	file := write(t, "")
	t.Setenv("PATH", t.TempDir())
	_, err := cudac.Compile(file)
	assert.ErrorContains(t, err, "clang-19 is not installed")
}

func ExampleCompile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "zero.cu")
	source := "KERNEL zero(uint *a) { a[threadIdx.x] = 0; }\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	ptx, err := cudac.Compile(file)
	fmt.Printf("%s %v\n", ptx, err)
}
