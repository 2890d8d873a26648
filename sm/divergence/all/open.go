package all

import (
	"divergo/sm/divergence"
	"divergo/sm/divergence/verilog"
)

func init() { divergence.OpenWith(verilog.Open) }
