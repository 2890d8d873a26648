package kernels_test

import (
	"fmt"

	"divergo/kernels"
)

func ExampleFind() {
	kernel, err := kernels.Find("bitonic")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kernel.Doc)
	for _, size := range kernel.Sizes {
		fmt.Printf("%-6s %s\n", size.Name, size.Doc)
	}
	_, err = kernels.Find("bitonik")
	fmt.Println(err)
	// Output:
	// sorts segments of 32-bit keys, one a CTA, in shared memory
	// small  256 keys, 1 CTA of 256
	// medium 2000 keys, 8 CTAs of 256, the last one partly filled
	// large  64 Ki keys, 128 CTAs of 512
	// unknown kernel "bitonik"; did you mean "bitonic"?
}
