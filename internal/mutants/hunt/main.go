// Command hunt searches for a planted bug with random kernels, as `divergo check` does, and prints
// the result. It is compiled again for each mutant, so it is smaller than the command line.
//
//	hunt [-runs N] [-shrink TIME] [-corpus FILE] MECHANISM...
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"divergo/properties"
)

// found is the printed result; null if nothing was found.
type found struct {
	Checker, Mechanism string
	What               string
	Kernels            uint64        // kernels run until then
	Spent              time.Duration // time until then
	Instructions       int           // of the smallest kernel with the bug
}

func main() {
	o := properties.Options{Jobs: runtime.NumCPU()}
	flag.Uint64Var(&o.Runs, "runs", 3000, "random kernels")
	flag.DurationVar(&o.Shrink, "shrink", time.Millisecond, "`TIME` to spend on making a failure small")
	flag.StringVar(&o.Corpus, "corpus", "", "steer the search with a new `FILE`")
	flag.Parse()
	o.Mechanisms = flag.Args()
	r, err := properties.Run(o)
	if err == nil {
		err = say(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func say(r *properties.Report) error {
	var first *found
	if f := r.Failure; f != nil {
		k, err := f.Case.Compile()
		if err != nil {
			return err
		}
		first = &found{f.Checker, f.Mechanism, f.What, f.Case.Seed + 1, r.Spent, len(k.Prog.Insts)}
	}
	return json.NewEncoder(os.Stdout).Encode(first)
}
