package lab_test

import (
	"fmt"

	"divergo/cmd/divergo/lab"
)

// The site has a page, the packed program, and the sources of the kernels.
func ExampleSite() {
	site, err := lab.Site(&lab.Program{Wasm: []byte("the program"), Script: []byte("its script")})
	if err != nil {
		fmt.Println(err)
	}
	for _, name := range []string{"index.html", "divergo.wasm.gz", "wasm_exec.js", "kernels/bitonic.cu", "kernels/bitonic.ptx"} {
		fmt.Println(name, len(site[name]) > 0)
	}
	// Output:
	// index.html true
	// divergo.wasm.gz true
	// wasm_exec.js true
	// kernels/bitonic.cu true
	// kernels/bitonic.ptx true
}
