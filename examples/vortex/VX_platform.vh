// The macros that the modules of Vortex take from its file of this name.
`ifndef VX_PLATFORM_VH
`define VX_PLATFORM_VH

`define UP(x)     (((x) != 0) ? (x) : 1)
`define LOG2UP(x) (((x) > 1) ? $clog2(x) : 1)
`define STRING

`define ASSERT(condition, message)         assert (condition) else $error message
`define RUNTIME_ASSERT(condition, message) always @(posedge clk) assert (condition) else $error message
`define STATIC_ASSERT(condition, message)  if (!(condition)) $error message;

// Hints for linters, waveforms and synthesis.
`define UNUSED_PARAM(x)
`define UNUSED_SPARAM(x)
`define UNUSED_VAR(x)
`define UNUSED_PIN(x) .x()
`define TRACING_OFF
`define TRACING_ON

`endif
