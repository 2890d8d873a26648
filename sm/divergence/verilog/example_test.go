package verilog_test

import (
	"fmt"

	"divergo/sm/divergence/verilog"
)

// The ports of a launch, as a unit declares them.
func ExampleShape_Ports() {
	for _, p := range verilog.Plain.Ports() {
		if p.Group == "launch" {
			fmt.Println(p.Declaration())
		}
	}
	// Output:
	// input  logic [LANES-1:0] launch_mask
	// input  logic launch_valid
	// input  logic [WARP-1:0] launch_warp
	// input  logic [CTA-1:0] launch_cta
	// input  logic [WARP-1:0] launch_first
	// input  logic [WARP:0] launch_warps
}
