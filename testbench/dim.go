package testbench

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseDim reads the size of a grid or a block, X[,Y[,Z]]. A missing size is 1.
func ParseDim(text string) ([3]uint32, error) {
	dim := [3]uint32{1, 1, 1}
	parts := strings.Split(text, ",")
	if len(parts) > len(dim) {
		return dim, fmt.Errorf("%q: want X, X,Y or X,Y,Z, found %d numbers", text, len(parts))
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if err != nil {
			return dim, fmt.Errorf("%q: want X, X,Y or X,Y,Z with whole numbers, found %q", text, part)
		}
		dim[i] = uint32(n)
	}
	return dim, nil
}
