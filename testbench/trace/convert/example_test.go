package convert_test

import (
	"bytes"
	"log"
	"os"

	"divergo/testbench/trace"
	"divergo/testbench/trace/convert"
)

// A trace of two records is printed.
func Example() {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Name: "k", Mechanism: "pdom", Lanes: 4, SMs: 1})
	if err != nil {
		log.Fatal(err)
	}
	program, err := w.Program(&trace.Program{Name: "k", File: "k.ptx", Insts: []trace.Inst{{Text: "@%p1 bra L", PTX: 5}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Launch(&trace.Launch{Program: program, Warps: 1}); err != nil {
		log.Fatal(err)
	}
	w.SM(0).Put(&trace.Record{Kind: trace.Issue, Cycle: 10, Mask: 0b1101, Off: 0b0001})
	w.SM(0).Put(&trace.Record{Kind: trace.Branch, Cycle: 14, Mask: 0b1101, Taken: 0b1100})
	if err := w.Close(trace.Summary{}); err != nil {
		log.Fatal(err)
	}

	r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	columns := []string{"cycle", "kind", "mask", "where", "detail"}
	if err := convert.Print(os.Stdout, r, convert.Select{}, columns); err != nil {
		log.Fatal(err)
	}
	// Output:
	// cycle     kind        mask  where             detail
	// 10        issue       0.11  k.ptx:5
	// 14        branch      1.11  k.ptx:5           taken ..11, not 1...
}
