// Command cases writes the cases of package gpucheck to the standard output.
//
//	cases forms                  each form of a computing instruction
//	cases kernels FIRST COUNT    random kernels, by seed
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"

	"divergo/internal/gpucheck"
)

func main() {
	var first, count uint64
	var err error
	one := func(n uint64) (*gpucheck.Case, string) {
		c, err := gpucheck.Form(int(n))
		if err != nil {
			return nil, err.Error()
		}
		return c, ""
	}
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "forms":
		count = uint64(gpucheck.Forms())
	case len(args) == 3 && args[0] == "kernels":
		one = gpucheck.Kernel
		if first, err = strconv.ParseUint(args[1], 10, 32); err == nil {
			count, err = strconv.ParseUint(args[2], 10, 32)
		}
	default:
		err = fmt.Errorf("usage: cases forms | cases kernels FIRST COUNT")
	}
	if err == nil {
		err = write(first, count, one)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// write makes cases on all processors and writes them in order. It reports how many there are none for, and why.
func write(first, count uint64, one func(n uint64) (*gpucheck.Case, string)) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	without := map[string]int{}
	written := 0
	batch := uint64(16 * runtime.NumCPU())
	for at := first; at < first+count; at += batch {
		cases, whys := make([]*gpucheck.Case, batch), make([]string, batch)
		var wg sync.WaitGroup
		for i := range min(batch, first+count-at) {
			wg.Go(func() {
				c, why := one(at + i)
				if why == "" {
					if err := c.Expect(); err != nil {
						c, why = nil, "no result of the golden model"
					}
				}
				cases[i], whys[i] = c, why
			})
		}
		wg.Wait()
		for i, c := range cases {
			if whys[i] != "" {
				without[whys[i]]++
			} else if c != nil {
				written++
				if err := c.Write(out); err != nil {
					return err
				}
			}
		}
	}
	fmt.Fprintln(os.Stderr, written, "cases;", "without:", without)
	return out.Flush()
}
