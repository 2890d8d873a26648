package models_test

import (
	"fmt"
	"log"

	"divergo/properties/draw"
	"divergo/properties/models"
	"divergo/testbench"
)

// The hardware of pdom issues what its model has ready.
func Example() {
	c := draw.New(7, draw.Loops|draw.Breaks)
	k, err := c.Compile()
	if err != nil {
		log.Fatal(err)
	}
	s, err := testbench.NewSession(k.Machine.Under("pdom"), testbench.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	var end func() (int, *models.Mismatch)
	s.OnLaunch.Add(func(*testbench.Loaded) { end = models.Watch(s, models.Models["pdom"]) })
	if err := k.Launch(s, s.Launch); err != nil {
		log.Fatal(err)
	}
	issued, mismatch := end()
	fmt.Println(issued > 0, mismatch == nil)
	// Output: true true
}
