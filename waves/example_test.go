package waves_test

import (
	"fmt"
	"os"
	"strings"

	"divergo/rtl"
	"divergo/waves"
)

// light is the state of a traffic light.
type light uint8

const (
	red light = iota
	green
)

func (l light) String() string { return [...]string{"Red", "Green"}[l] }

// crossing changes its light every second cycle.
type crossing struct {
	rtl.State[struct {
		Light light `bits:"2"`
		Timer bool
	}]
	Walk rtl.Wire[bool]
}

func (c *crossing) Tick() {
	q, d := c.Regs()
	c.Walk.Set(q.Light == red)
	d.Timer = !q.Timer
	if q.Timer {
		d.Light = 1 - q.Light
	}
}

// A dump of five cycles at 1 GHz; a cycle is 1,000,000 fs.
func Example() {
	sys := rtl.NewSystem("town")
	core := sys.Domain("core", 1_000_000_000)
	if _, err := sys.Add("town.crossing", core, &crossing{}); err != nil {
		fmt.Println(err)
		return
	}
	var vcd strings.Builder
	dump, err := waves.Attach(sys, &vcd, waves.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sys.Run(core, 5)
	if err := dump.Close(); err != nil {
		fmt.Println(err)
	}
	fmt.Print(vcd.String())
	// Output:
	// $version divergo $end
	// $timescale 1 fs $end
	// $scope module town $end
	// $scope module crossing $end
	// $var reg 2 ! Light [1:0] $end
	// $var reg 1 " Timer $end
	// $var wire 1 # Walk $end
	// $upscope $end
	// $upscope $end
	// $enddefinitions $end
	// #0
	// $dumpvars
	// b0 !
	// 0"
	// 1#
	// $end
	// #1000000
	// 1"
	// #2000000
	// b1 !
	// 0"
	// 0#
	// #3000000
	// 1"
	// #4000000
	// b0 !
	// 0"
	// 1#
	// #5000000
	// 1"
	// #5000001
}

// A dump that starts one cycle before the light first turns green. Outside a system a cycle is drawn as a nanosecond.
func ExampleParseTrigger() {
	trigger, err := waves.ParseTrigger("1 before town.Light == Green")
	if err != nil {
		fmt.Println(err)
		return
	}
	town := rtl.MustNew("town", &crossing{})
	dump, err := waves.AttachSim(town, os.Stdout, waves.Options{Filter: []string{"town.Light"}, Trigger: trigger})
	if err != nil {
		fmt.Println(err)
		return
	}
	town.Run(5)
	if err := dump.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// $version divergo $end
	// $timescale 1 fs $end
	// $scope module town $end
	// $var reg 2 ! Light [1:0] $end
	// $upscope $end
	// $enddefinitions $end
	// #1000000
	// $dumpvars
	// b0 !
	// $end
	// #2000000
	// b1 !
	// #4000000
	// b0 !
	// #5000000
}
