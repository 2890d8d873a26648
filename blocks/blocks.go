// Package blocks x.
package blocks

import "divergo/rtl/verilog"

// Sizes x.
type Sizes = verilog.Sizes
