package draw

import (
	"math/rand/v2"

	"divergo/gpu"
)

// Machine draws the machine of a seed.
func Machine(seed uint64) gpu.Config {
	c := drawMachine(rand.New(rand.NewPCG(seed, 1)))
	press(rand.New(rand.NewPCG(seed, 5)), &c)
	return c
}
