package view_test

import (
	"bytes"
	"fmt"
	"log"

	"divergo/testbench/trace"
	"divergo/testbench/view"
)

// A trace of two issues becomes a page.
func Example() {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Name: "k", Mechanism: "pdom", Lanes: 4, SMs: 1, Warps: 1, Slots: 1})
	if err != nil {
		log.Fatal(err)
	}
	at, err := w.Program(&trace.Program{Name: "k", Insts: []trace.Inst{{Text: "@%p1 bra L"}, {Text: "exit"}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Launch(&trace.Launch{Program: at, Warps: 1}); err != nil {
		log.Fatal(err)
	}
	w.SM(0).Put(&trace.Record{Kind: trace.Issue, Cycle: 10, PC: 0, Mask: 0b1111})
	w.SM(0).Put(&trace.Record{Kind: trace.Branch, Cycle: 14, PC: 0, Mask: 0b1111, Taken: 0b0011})
	w.SM(0).Put(&trace.Record{Kind: trace.Issue, Cycle: 15, PC: 1, Mask: 0b1100})
	if err := w.Close(trace.Summary{Cycles: 16, Outcome: "finished"}); err != nil {
		log.Fatal(err)
	}
	r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}

	var page bytes.Buffer
	if _, err := (&view.Page{Title: "two issues", Traces: []*trace.Reader{r}}).WriteTo(&page); err != nil {
		log.Fatal(err)
	}
	first, _, _ := bytes.Cut(page.Bytes(), []byte("\n"))
	fmt.Printf("%s, a page of less than 100 KB: %t\n", first, page.Len() < 100_000)
	// Output: <!DOCTYPE html>, a page of less than 100 KB: true
}
