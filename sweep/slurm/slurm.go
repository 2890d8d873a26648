// Package slurm makes the results of a sweep on a cluster with Slurm. Each task of a job array is
// "divergo sweep --shard" on one node.
//
//	report, err := slurm.Run(plan, store, slurm.Options{Task: 5 * time.Minute, ...})
//
// A point without a result was lost if all tasks have ended. Its shard is submitted again. The
// store alone says what is missing; Slurm says why. So a node, the controller or Run may die at any
// moment, and the next Run continues.
//
// The nodes need the store, the files of the plan and this program at the same paths.
package slurm

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"divergo/internal/output"
	"divergo/sweep"
)

// Options say how Run runs. All functions are called from one goroutine.
type Options struct {
	Partition string        // of the tasks; "": the default of Slurm
	Time      string        // limit of a task, as sbatch has it: "30", "2:00:00"; "": that of the partition
	Memory    string        // of a task, as sbatch has it: "2G"; "": the default of Slurm
	Task      time.Duration // how long a task should take
	Stop      func() bool   // polled; true ends Run, and its tasks go on
	Progress  func(Report)  // receives the state after each look at the queue
	Say       func(string)  // receives messages for the user

	// Point returns the time of a point. It can make some of the missing ones.
	Point func(missing []int) (time.Duration, error)
}

// Report is the state of a sweep on a cluster.
type Report struct {
	sweep.Report
	Running, Queued int // tasks
}

// ErrStopped is the error of a Run that Options.Stop ended.
var ErrStopped = errors.New("interrupted")

// run is a call of Run.
type run struct {
	Options
	plan   *sweep.Plan
	store  *sweep.Store
	report Report
	began  time.Time
	file   string // the plan
	dir    string // the store
	job    string // name of all job arrays of this plan and store
	silent bool   // Slurm does not answer

	// The last submission.
	folder string          // script and logs of the tasks
	shards int             // task i makes the missing points of shard i+1 of so many
	before map[string]bool // identifiers of older job arrays
	arrays map[string]bool // identifiers of all job arrays
	tasks  map[int]task    // by number
}

// task is what Slurm knows of a task.
type task struct{ state, node string }

// over are the states of tasks that have ended, in squeue and in sacct.
var over = []string{
	"BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
	"PREEMPTED", "REVOKED", "TIMEOUT",
}

// grace is the time in which a file that a node has written appears on this computer. NFS keeps
// attributes of folders for up to a minute.
const grace = time.Minute

// Run makes the missing results of a plan. It first waits for tasks that an earlier Run has left in
// the queue. The error concerns the store, Slurm or the file system; lost points are in the report.
func Run(p *sweep.Plan, s *sweep.Store, o Options) (*Report, error) {
	r := &run{Options: o, plan: p, store: s, began: time.Now(), arrays: map[string]bool{}}
	err := r.all()
	return &r.report, err
}

func (r *run) all() error {
	size, err := arraySize()
	if err != nil {
		return err
	}
	if r.dir, err = filepath.Abs(r.store.Folder()); err != nil {
		return err
	}
	if r.file, err = filepath.Abs(r.plan.File); err != nil {
		return err
	}
	r.job = fmt.Sprintf("divergo-%.6x", sha256.Sum256([]byte(r.dir+"\n"+r.file)))
	missing, err := r.store.Missing(r.plan)
	if err != nil {
		return err
	}
	r.report.Points, r.report.Before = r.plan.Len(), r.plan.Len()-len(missing)
	if missing, err = r.wait(); err != nil || len(missing) == 0 {
		return err
	}
	point, err := r.Point(missing)
	if err != nil {
		return err
	}
	if missing, err = r.store.Missing(r.plan); err != nil {
		return err
	}
	r.shards = min(int(float64(len(missing))*point.Seconds()/r.Task.Seconds())+1, len(missing), size)
	var without []string
	for try := 1; len(missing) > 0; try++ {
		if try == sweep.Tries {
			r.shards = min(r.plan.Len(), size) // a point that ends its worker takes few others with it
		}
		if r.Stop() {
			return ErrStopped
		}
		if err := r.submit(missing, without); err != nil {
			return err
		}
		if missing, err = r.wait(); err != nil || len(missing) == 0 {
			return err
		}
		if err := r.account(); err != nil {
			return err
		}
		if try == sweep.Tries {
			for _, i := range missing {
				r.report.Lost = append(r.report.Lost, sweep.Lost{Point: i, Tries: try, Why: r.why(i)})
			}
			return nil
		}
		text := fmt.Sprintf("%d points are lost and submitted again: %s", len(missing), r.why(missing[0]))
		if without = r.failing(missing); without != nil {
			text += "; no more on " + strings.Join(without, ", ")
		}
		r.Say(text)
	}
	return nil
}

// submit submits the shards that have missing points, without some nodes.
func (r *run) submit(missing []int, without []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if r.folder, err = output.NewFolder(filepath.Join(r.dir, "slurm"), "tasks"); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("#!/bin/sh\n")
	for _, option := range r.plan.Slurm {
		fmt.Fprintf(&script, "#SBATCH %s\n", option)
	}
	script.WriteString("echo \"divergo: task $SLURM_ARRAY_TASK_ID on $SLURMD_NODENAME\"\n")
	fmt.Fprintf(&script, "exec %s sweep %s --store %s --jobs \"${SLURM_CPUS_PER_TASK:-1}\" "+
		"--shard $((SLURM_ARRAY_TASK_ID + 1))/%d\n", quoted(program), quoted(r.file), quoted(r.dir), r.shards)
	name := filepath.Join(r.folder, "tasks.sh")
	if err := output.WriteFile(name, []byte(script.String())); err != nil {
		return err
	}
	args := []string{
		"--job-name=" + r.job, "--array=" + r.numbers(missing), "--chdir=" + r.folder,
		"--output=" + strings.ReplaceAll(r.folder, "%", "%%") + "/%a.log", "--no-requeue",
	}
	for _, o := range []struct{ flag, value string }{
		{"--partition", r.Partition},
		{"--time", r.Time},
		{"--mem", r.Memory},
		{"--exclude", strings.Join(without, ",")},
	} {
		if o.value != "" {
			args = append(args, o.flag+"="+o.value)
		}
	}
	r.before, r.tasks = maps.Clone(r.arrays), map[int]task{}
	for again := false; ; again = true {
		_, err := command("sbatch", append(args, name)...)
		if err == nil {
			return nil
		}
		for r.look() != nil {
			if !r.sleep(time.Second) {
				return ErrStopped
			}
		}
		if r.report.Running+r.report.Queued > 0 { // the controller took them, and died before it answered
			return nil
		}
		if again {
			return err
		}
	}
}

// numbers returns the numbers of the tasks with missing points, as sbatch has them: "0-3,7".
func (r *run) numbers(missing []int) string {
	set := make([]bool, r.shards+1)
	for _, i := range missing {
		set[i%r.shards] = true
	}
	var list []string
	for i := 0; i < r.shards; i++ {
		first := i
		for set[i] {
			i++
		}
		switch i - first {
		case 0:
		case 1:
			list = append(list, strconv.Itoa(first))
		default:
			list = append(list, fmt.Sprintf("%d-%d", first, i-1))
		}
	}
	return strings.Join(list, ",")
}

// wait waits until no point is missing, or no task is in the queue. It returns the missing points.
func (r *run) wait() ([]int, error) {
	var unseen time.Time // since when tasks run whose logs have not appeared
	for start := time.Now(); ; {
		silent := r.look()
		missing, err := r.store.Missing(r.plan)
		active := r.report.Running + r.report.Queued
		if err != nil {
			return nil, err
		}
		r.progress(len(missing))
		if len(missing) == 0 || silent == nil && active == 0 {
			return missing, nil
		}
		switch {
		case !r.started() || r.logged():
			unseen = time.Time{}
		case unseen.IsZero():
			unseen = time.Now()
		case time.Since(unseen) > grace:
			_, _ = command("scancel", "--name="+r.job, "--user="+user()) // else they end by themselves
			return nil, r.unshared()
		}
		// Few calls of squeue: they load the controller.
		if !r.sleep(min(max(time.Since(start)/20, 200*time.Millisecond), 10*time.Second)) {
			r.Say(fmt.Sprintf("%d tasks go on: the same command waits for them, \"scancel --name=%s\" cancels them",
				active, r.job))
			return nil, ErrStopped
		}
	}
}

// sleep waits for some time. It returns false at once if the user wants the run to end.
func (r *run) sleep(t time.Duration) bool {
	for end := time.Now().Add(t); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if r.Stop() {
			return false
		}
	}
	return !r.Stop()
}

// look reads the queue. Its error says that Slurm does not answer; the user hears of it once.
func (r *run) look() error {
	text, err := command("squeue", "--noheader", "--array", "--states=all", "--user="+user(), "--name="+r.job,
		"--format=%F %K %T %N")
	if err != nil {
		if !r.silent {
			r.Say(fmt.Sprintf("waiting for Slurm: %v", err))
		}
		r.silent = true
		return err
	}
	r.silent = false
	r.report.Running, r.report.Queued = 0, 0
	for line := range strings.Lines(text) {
		words := append(strings.Fields(line), "") // a task in the queue has no node
		if len(words) < 4 {
			continue
		}
		r.arrays[words[0]] = true
		r.note(words[0]+"_"+words[1], words[2], words[3])
		switch {
		case slices.Contains(over, words[2]):
		case words[2] == "PENDING":
			r.report.Queued++
		default:
			r.report.Running++
		}
	}
	return nil
}

// note keeps the state of a task, ARRAY_NUMBER, of the last submission.
func (r *run) note(id, state, node string) {
	array, number, _ := strings.Cut(id, "_")
	if i, err := strconv.Atoi(number); err == nil && r.tasks != nil && !r.before[array] {
		r.tasks[i] = task{state, node}
	}
}

// account reads how the tasks of the last submission ended. Without accounting, that is what the
// queue has said. Its error says why another submission cannot help.
func (r *run) account() error {
	var arrays []string
	for a := range r.arrays {
		if !r.before[a] {
			arrays = append(arrays, a)
		}
	}
	text, err := command("sacct", "--allocations", "--noheader", "--parsable2", "--format=JobID,State,NodeList",
		"--jobs="+strings.Join(arrays, ","))
	for line := range strings.Lines(text) {
		// A state is a word, or "CANCELLED by 1000".
		if words := strings.Split(strings.TrimSpace(line), "|"); err == nil && len(words) == 3 {
			state, _, _ := strings.Cut(words[1], " ")
			if slices.Contains(over, state) {
				r.note(words[0], state, strings.TrimPrefix(words[2], "None assigned"))
			}
		}
	}
	for _, t := range r.tasks {
		if t.state == "CANCELLED" && t.node == "" { // a node cancels tasks that it cannot start
			return errors.New("tasks were cancelled in the queue: the same command continues")
		}
	}
	if r.started() && !r.logged() {
		return r.unshared()
	}
	return nil
}

// logged reports whether the log of a task of the last submission has appeared.
func (r *run) logged() bool {
	files, _ := os.ReadDir(r.folder)
	return slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), ".log") })
}

// started reports whether a task of the last submission runs or has run.
func (r *run) started() bool {
	for _, t := range r.tasks {
		if t.node != "" {
			return true
		}
	}
	return false
}

// unshared is the error for a file system that the nodes do not share.
func (r *run) unshared() error {
	nodes := map[string]bool{}
	for _, t := range r.tasks {
		nodes[t.node] = true
	}
	return fmt.Errorf("%s: no file has come from %s, want a store on a file system that all nodes share",
		r.folder, strings.Join(slices.Sorted(maps.Keys(nodes)), ", "))
}

// why says why a point was lost: the end of its task, and the last line of its log.
func (r *run) why(point int) string {
	number := point % r.shards
	t := r.tasks[number]
	text, _ := os.ReadFile(filepath.Join(r.folder, fmt.Sprintf("%d.log", number)))
	why := fmt.Sprintf("task %d ended", number)
	switch t.state {
	case "":
		why = fmt.Sprintf("Slurm has forgotten task %d", number)
	case "COMPLETING": // Slurm does not say how it ended
	default:
		why += " with " + t.state
	}
	if t.node != "" {
		why += " on " + t.node
	}
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); len(lines) > 1 { // the first one is of the script
		why += ": " + lines[len(lines)-1]
	}
	return why
}

// failing returns the nodes whose tasks have all left points missing, if another node has none.
func (r *run) failing(missing []int) []string {
	failed := map[int]bool{}
	for _, i := range missing {
		failed[i%r.shards] = true
	}
	good, bad := map[string]bool{}, map[string]bool{}
	for i, t := range r.tasks {
		if failed[i] {
			bad[t.node] = true
		} else if t.node != "" {
			good[t.node] = true
		}
	}
	if len(good) == 0 {
		return nil
	}
	maps.DeleteFunc(bad, func(node string, _ bool) bool { return node == "" || good[node] })
	return slices.Sorted(maps.Keys(bad))
}

// progress reports the state.
func (r *run) progress(missing int) {
	s := &r.report
	s.Made = s.Points - s.Before - missing
	s.Rate = float64(s.Made) / time.Since(r.began).Seconds()
	if s.Left = 0; s.Made > 0 {
		s.Left = time.Duration(float64(missing) / s.Rate * float64(time.Second))
	}
	r.Progress(*s)
}

// arraySize returns how many tasks an array can have.
func arraySize() (int, error) {
	text, err := command("scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if key, value, _ := strings.Cut(line, "="); strings.TrimSpace(key) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
				return n, nil
			}
		}
	}
	return 0, errors.New("scontrol show config: no MaxArraySize above 0, want a cluster with job arrays")
}

// command runs a command of Slurm and returns what it prints.
func command(name string, args ...string) (string, error) {
	text, err := output.Run(exec.Command(name, args...))
	switch said := strings.TrimSpace(string(text)); {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: not found, want a computer with the commands of Slurm", name)
	case err != nil && said != "":
		return "", fmt.Errorf("%s: %s", name, strings.TrimPrefix(said, name+": "))
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(text), nil
}

// user is the user as squeue has it.
func user() string { return strconv.Itoa(os.Getuid()) }

// quoted returns a word of a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
