package convert

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"divergo/isa"
	"divergo/testbench/trace"
)

// CommitColumns is the first line of a commit log. order, pc_rdata, rd_addr and rd_wdata are named after
// the RISC-V Formal Interface (RVFI), hart after RVVI; mask is ours.
var CommitColumns = []string{"launch", "hart", "order", "pc_rdata", "mask", "rd_addr", "rd_wdata", "cycle", "insn"}

// needed are the columns that a commit log must have.
var needed = []string{"hart", "order", "pc_rdata", "mask"}

// Commit writes a commit log: a line for each instruction of each static warp, or for each register that
// it writes. It has values if the trace has.
func Commit(to io.Writer, r *trace.Reader, s Select) error {
	w := csv.NewWriter(to)
	if err := w.Write(CommitColumns); err != nil {
		return err
	}
	for step, err := range Steps(r, s, r.Header.Values) {
		if err != nil {
			return err
		}
		line := []string{
			fmt.Sprint(step.Launch), fmt.Sprint(step.Hart), fmt.Sprint(step.Order), fmt.Sprint(step.PC),
			fmt.Sprintf("%#x", step.Mask), "", "", fmt.Sprint(step.Cycle), step.Inst,
		}
		if len(step.Dst) == 0 {
			if err := w.Write(line); err != nil {
				return err
			}
		}
		for i := range step.Dst {
			line[5], line[6] = step.Dst[i].Register, step.Dst[i].values()
			if err := w.Write(line); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// ReadCommit yields the steps of a commit log, which begins with the names of its columns. Missing
// columns other than hart, order, pc_rdata and mask are left out of a comparison, and so are empty
// fields. Lines of the same launch, hart and order are one step. Errors have the line.
func ReadCommit(from io.Reader) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		in := csv.NewReader(from)
		in.TrimLeadingSpace = true
		head, err := in.Read()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("an empty file, want a commit log with the columns %s", strings.Join(CommitColumns, ","))
			}
			yield(nil, err)
			return
		}
		for _, name := range needed {
			if !slices.Contains(head, name) {
				yield(nil, fmt.Errorf("line 1: no column %s, want %s, and of the others any", name, strings.Join(needed, ",")))
				return
			}
		}
		for _, name := range head {
			if !slices.Contains(CommitColumns, name) {
				yield(nil, fmt.Errorf("line 1: column %q, want %s", name, strings.Join(CommitColumns, ",")))
				return
			}
		}
		var last *Step
		for {
			fields, err := in.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			var step *Step
			if err == nil {
				step, err = stepOf(head, fields)
			}
			if err != nil {
				line, _ := in.FieldPos(0)
				var syntax *csv.ParseError
				if !errors.As(err, &syntax) {
					err = fmt.Errorf("line %d: %w", line, err)
				}
				yield(nil, err)
				return
			}
			if last != nil && last.Launch == step.Launch && last.Hart == step.Hart && last.Order == step.Order {
				last.Dst = append(last.Dst, step.Dst...)
				continue
			}
			if last != nil && !yield(last, nil) {
				return
			}
			last = step
		}
		if last != nil {
			yield(last, nil)
		}
	}
}

// stepOf reads the fields of a line.
func stepOf(head, fields []string) (*Step, error) {
	s := &Step{}
	var res Result
	written := ""
	for i, name := range head {
		text := strings.TrimSpace(fields[i])
		var err error
		switch name {
		case "launch":
			if text != "" {
				s.Launch, err = strconv.Atoi(text)
			}
		case "hart":
			s.Hart, err = strconv.ParseUint(text, 0, 64)
		case "order":
			s.Order, err = strconv.ParseUint(text, 0, 64)
		case "cycle":
			if text != "" {
				s.Cycle, err = strconv.ParseUint(text, 0, 64)
			}
		case "pc_rdata":
			var pc uint64
			pc, err = strconv.ParseUint(text, 0, 32)
			s.PC = uint32(pc)
		case "mask":
			var mask uint64
			mask, err = strconv.ParseUint(text, 0, 64)
			s.Mask = mask
		case "rd_addr":
			res.Register = text
		case "rd_wdata":
			written = text
		case "insn":
			s.Inst = text
		}
		if err != nil {
			return nil, fmt.Errorf("%s is %q, want a number", name, text)
		}
	}
	values := strings.Fields(written)
	if len(values) > isa.MaxLanes {
		return nil, fmt.Errorf("rd_wdata has %d values, want at most %d", len(values), isa.MaxLanes)
	}
	for l, v := range values {
		if v == "-" {
			continue
		}
		var err error
		if res.Values[l], err = strconv.ParseUint(v, 16, 64); err != nil {
			return nil, fmt.Errorf("rd_wdata of lane %d is %q, want a hexadecimal number or -", l, v)
		}
		res.Mask |= 1 << l
	}
	if res.Register != "" && written != "" {
		s.Dst = append(s.Dst, res)
	}
	return s, nil
}
