package trace_test

import (
	"bytes"
	"fmt"
	"log"

	"divergo/testbench/trace"
)

// A trace of three records is written and read.
func Example() {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Name: "k", Mechanism: "pdom", Lanes: 4, SMs: 1})
	if err != nil {
		log.Fatal(err)
	}
	program, err := w.Program(&trace.Program{Name: "k", File: "k.ptx", Insts: []trace.Inst{
		{Text: "@%p1 bra L", PTX: 5, File: "k.cu", Line: 3}, {Text: "exit", PTX: 6, File: "k.cu", Line: 4},
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Launch(&trace.Launch{Program: program, Warps: 1}); err != nil {
		log.Fatal(err)
	}
	sm := w.SM(0)
	sm.Put(&trace.Record{Kind: trace.Issue, Cycle: 10, PC: 0, Mask: 0b1111})
	sm.Put(&trace.Record{Kind: trace.Branch, Cycle: 14, PC: 0, Mask: 0b1111, Taken: 0b0011})
	sm.Put(&trace.Record{Kind: trace.Issue, Cycle: 15, PC: 1, Mask: 0b1100})
	if err := w.Close(trace.Summary{Cycles: 16, Outcome: "finished"}); err != nil {
		log.Fatal(err)
	}

	r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for rec, err := range r.Records(trace.Query{From: 14}) {
		if err != nil {
			log.Fatal(err)
		}
		p := r.ProgramAt(rec.Cycle)
		fmt.Printf("cycle %d %-6s %04b %s %s\n", rec.Cycle, rec.Kind, rec.Mask, p.Where(rec.PC), p.Text(rec.PC))
	}
	// Output:
	// cycle 14 branch 1111 k.cu:3 @%p1 bra L
	// cycle 15 issue  1100 k.cu:4 exit
}
