package frontier

import (
	"divergo/experiments"
	"divergo/gpu"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"fmt"
)

// paper is the source of the mechanism. Its key names figures, claims and the preset.
var paper = experiments.Paper{
	Key: "frontier", Authors: "Diamos et al.", Title: "SIMD Re-convergence at Thread Frontiers",
	Venue: "MICRO", Year: 2011,
}

func init() {
	experiments.Register(paper, []experiments.Figure{{
		Name: "frontier-circuit", Doc: "warp instructions of a condition of several parts", Place: "section 1", Draw: draw,
	}}, []experiments.Claim{{
		ID: "FRONTIER-01", Place: "section 1",
		Statement: "warp instructions of a condition of four parts, against post-dominators",
		Theirs:    "fewer", Ours: fewer,
	}})
	gpu.RegisterPreset(gpu.Preset{
		Name: paper.Key, Doc: "one SM of the default", Source: "this model",
		Config: func() gpu.Config {
			c := gpu.Default()
			c.GPU.SMs = 1
			return c
		},
	})
}

// circuit is a condition of n parts. Each part sends another thread to X; behind X all threads
// meet.
func circuit(n int) (k micro.Kernel) {
	for i := range n {
		k = append(k, micro.Line{If: micro.BelowThread(i + 1), To: "X"})
	}
	return append(k, micro.Line{To: "J"}, micro.Line{Label: "X"}, micro.Line{Label: "J", Exit: true})
}

// issues returns the warp instructions of a condition of n parts, on a warp of 8 threads.
func issues(mechanism string, n int) (int, error) {
	m, _ := divergence.Find(mechanism)
	r, err := micro.Run(m, divergence.Options{PathOrder: divergence.TakenFirst}, 8, 1, circuit(n), 1000)
	return len(r.Issues), err
}

// fewer returns the value of the claim: the paper's word, and the numbers behind it.
func fewer() (string, error) {
	list, err := issues("frontier", 4)
	if err != nil {
		return "", err
	}
	stack, err := issues("pdom", 4)
	return fmt.Sprintf("%s (%d, %d)", map[bool]string{true: "fewer", false: "not fewer"}[list < stack], list, stack), err
}

// draw returns the figure: a table and a picture.
func draw() (*experiments.Drawing, error) {
	d := &experiments.Drawing{Header: []string{"parts", "pdom", "frontier"}}
	lines := [2]experiments.Series{{Name: "pdom"}, {Name: "frontier"}}
	for n := 1; n <= 7; n++ {
		row := []any{n}
		for i := range lines {
			count, err := issues(lines[i].Name, n)
			if err != nil {
				return nil, err
			}
			row = append(row, count)
			lines[i].X, lines[i].Y = append(lines[i].X, float64(n)), append(lines[i].Y, float64(count))
		}
		d.Rows = append(d.Rows, row)
	}
	d.Charts = experiments.Column{&experiments.Lines{
		Title: "A condition of several parts", X: "parts", Y: "warp instructions", Series: lines[:],
	}}
	return d, nil
}
