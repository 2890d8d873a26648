//go:build !js

package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"divergo/internal/nearest"
	"divergo/internal/printable"
	"divergo/sweep"
	"divergo/sweep/slurm"
)

// engines are what can make the points of a sweep.
var engines = []string{"local", "slurm"}

// slurmFlags choose the engine of a sweep, and describe tasks on a cluster.
type slurmFlags struct {
	engine  string
	options slurm.Options
}

func (f *slurmFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.engine, "engine", "local", "local, or slurm: tasks on a cluster (docs/howto/slurm.md)")
	c.Flags().StringVar(&f.options.Partition, "partition", "", "of Slurm: `NAME` of the partition")
	c.Flags().StringVar(&f.options.Time, "time", "", "of Slurm: time `LIMIT` of a task, such as 30 minutes or 2:00:00")
	c.Flags().StringVar(&f.options.Memory, "mem", "", "of Slurm: memory of a task, `SIZE` such as 2G")
	c.Flags().DurationVar(&f.options.Task, "task", 5*time.Minute, "of Slurm: the `TIME` that a task should take")
}

// check refuses an unknown engine, and flags of another one.
func (f *slurmFlags) check(c *cobra.Command) error {
	switch f.engine {
	case "local":
		return refuse(c, []string{"partition", "time", "mem", "task"}, "--engine slurm")
	case "slurm":
		if f.options.Task <= 0 {
			return fmt.Errorf("--task %s: want a time above 0, such as 5m", f.options.Task)
		}
		return refuse(c, []string{"jobs", "shard", "dry-run"}, "--engine local")
	}
	return fmt.Errorf("--engine: %w", nearest.Unknown("engine", f.engine, engines))
}

// run makes the points of a plan on a cluster. The first of them are a sample on this computer, which
// says how many points a task has.
func (f *slurmFlags) run(c *cobra.Command, plan *sweep.Plan, store *sweep.Store, o sweep.Options,
	line *progress,
) (*sweep.Report, error) {
	s := f.options
	s.Stop = o.Stop
	s.Point = func(missing []int) (time.Duration, error) {
		o.Points = missing
		sample, err := sweep.TakeSample(plan, store.Folder(), o)
		if err != nil {
			return 0, err
		}
		return sample.Mean, nil
	}
	s.Say = func(text string) {
		line.clear()
		fmt.Fprintln(c.ErrOrStderr(), "divergo:", printable.Text(text))
	}
	s.Progress = func(r slurm.Report) {
		line.say(fmt.Sprintf("%s, %d tasks run, %d wait", swept(&r.Report), r.Running, r.Queued))
	}
	r, err := slurm.Run(plan, store, s)
	if errors.Is(err, slurm.ErrStopped) {
		err = errInterrupted
	}
	return &r.Report, err
}
