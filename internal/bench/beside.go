package bench

// Beside is a measurement of another simulator.
type Beside struct {
	Machine string
	Kernels string
	Faster  string // times as fast as this simulator is, by kernel
}

// GPGPUSim has the user times of GPGPU-Sim 4.2.0 (Bakhoda et al., ISPASS 2009; Khairy et al., ISCA 2020)
// on the same kernels and a machine with the same keys, divided by those of this simulator. They were
// measured once, in 2026, on two cores of a virtual machine (AMD EPYC).
var GPGPUSim = []Beside{
	{"one SM", "branchy, mandel, bitonic", "24, 44, 23"},
	{"30 SMs", "branchy, mandel, bitonic", "27, 37, 19 to 22"},
}
