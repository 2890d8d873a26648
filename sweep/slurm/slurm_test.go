//go:build linux

package slurm_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/slurmtest"
	"divergo/sweep"
	"divergo/sweep/slurm"
)

// TestMain is "divergo sweep", with the arguments of tasks and of workers, if the first argument
// says so. A task that has the point of the environment ENDS makes none.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sweep" {
		if err := worker(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func worker(args []string) error {
	work := args[0] == "work"
	if work {
		args = args[1:]
	}
	flags := flag.NewFlagSet("sweep", flag.ContinueOnError)
	folder, shard, jobs := flags.String("store", "", ""), flags.String("shard", "1/1", ""), flags.Int("jobs", 1, "")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	plan, err := sweep.Read(args[0])
	if err != nil {
		return err
	}
	store, err := sweep.OpenStore(*folder)
	if err != nil {
		return err
	}
	if work {
		return sweep.Work(plan, store, os.Stdin, os.Stdout, os.Stderr)
	}
	var number, all int
	if _, err := fmt.Sscanf(*shard, "%d/%d", &number, &all); err != nil {
		return err
	}
	points, err := plan.Shard(number, all)
	if err != nil {
		return err
	}
	if ends, err := strconv.Atoi(os.Getenv("ENDS")); err == nil && slices.Contains(points, ends) {
		return fmt.Errorf("point %d ends its task", ends)
	}
	report, err := sweep.Run(plan, store, sweep.Options{Jobs: *jobs, Points: points, Stderr: os.Stderr})
	if err == nil && len(report.Lost) > 0 {
		err = fmt.Errorf("lost: %s", report.Lost[0].Why)
	}
	return err
}

// open writes a plan of so many points, and opens a new store.
func open(t *testing.T, points int) (*sweep.Plan, *sweep.Store) {
	t.Helper()
	dir := t.TempDir()
	seeds := make([]string, points)
	for i := range seeds {
		seeds[i] = strconv.Itoa(i)
	}
	name := filepath.Join(dir, "a plan.toml")
	text := "kernel = \"bitonic small\"\nslurm = [\"--comment=ours\"]\n[product]\nmechanism = [\"pdom\"]\nseed = [" + strings.Join(seeds, ", ") + "]\n"
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	plan, err := sweep.Read(name)
	require.NoError(t, err)
	require.Equal(t, points, plan.Len())
	store, err := sweep.OpenStore(filepath.Join(dir, "it's a store"))
	require.NoError(t, err)
	return plan, store
}

// collected is the table of a sweep without missing points.
func collected(t *testing.T, p *sweep.Plan, s *sweep.Store) string {
	t.Helper()
	var b bytes.Buffer
	missing, err := sweep.Write(&b, "csv", p, s, nil)
	require.NoError(t, err)
	require.Zero(t, missing)
	return b.String()
}

// local is the table of a sweep on this computer alone.
func local(t *testing.T, p *sweep.Plan) string {
	t.Helper()
	s, err := sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	report, err := sweep.Run(p, s, sweep.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Lost)
	return collected(t, p, s)
}

// options are those of tasks of about a second.
func options(t *testing.T) slurm.Options {
	late := time.Now().Add(5 * time.Minute)
	return slurm.Options{
		Task:     500 * time.Millisecond,
		Point:    func([]int) (time.Duration, error) { return 20 * time.Millisecond, nil },
		Stop:     func() bool { return time.Now().After(late) },
		Progress: func(slurm.Report) {},
		Say:      func(text string) { t.Log(text) },
	}
}

// Example runs a sweep with tasks of five minutes, of points that take two seconds.
func Example() {
	plan, err := sweep.Read("plan.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := sweep.OpenStore("plan.sweep")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := slurm.Run(plan, store, slurm.Options{
		Partition: "short",
		Task:      5 * time.Minute,
		Point:     func([]int) (time.Duration, error) { return 2 * time.Second, nil },
		Stop:      func() bool { return false },
		Progress:  func(r slurm.Report) { fmt.Println(r.Made, "of", r.Points) },
		Say:       func(text string) { fmt.Println(text) },
	})
	fmt.Println(report.Lost, err)
}

// TestSlurm runs sweeps on a cluster whose parts fail. The results are those of this computer alone.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s")
	}
	c := slurmtest.New(t)
	t.Run("kills", func(t *testing.T) { testKills(t, c) })
	t.Run("full disk", func(t *testing.T) { testFullDisk(t, c) })
	t.Run("not shared", func(t *testing.T) { testNotShared(t, c) })
	t.Run("no answer", func(t *testing.T) { testNoAnswer(t, c) })
	t.Run("stopped", func(t *testing.T) { testStopped(t, c) })
	t.Run("lost", testLost)
	t.Run("cancelled", testCancelled)
	t.Run("refused", testRefused)
}

// testKills kills workers, the daemon of a node and the controller when a random number of points
// is made. Daemons come back after at most two seconds, as from an init system.
func testKills(t *testing.T, c *slurmtest.Cluster) {
	const points = 300
	plan, store := open(t, points)
	want := local(t, plan)
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("DIVERGO_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("DIVERGO_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	var kills sync.WaitGroup
	ended := make(chan bool)
	daemon := func(name string, rest time.Duration) func() bool {
		return func() bool {
			c.Kill(name)
			time.Sleep(rest)
			c.Start(t, name)
			time.Sleep(3 * time.Second)
			_ = exec.Command("scontrol", "reconfigure").Run() // tells the controller what runs on the nodes
			return true
		}
	}
	for _, kill := range []func() bool{
		killWorker, killWorker, killWorker,
		daemon([]string{slurmtest.Node1, slurmtest.Node2}[random.IntN(2)], rand.N(2*time.Second)),
		daemon(slurmtest.Controller, rand.N(2*time.Second)),
	} {
		at := random.IntN(points - 100) // so that there are workers to kill
		kills.Go(func() {
			for {
				missing, err := store.Missing(plan)
				if !assert.NoError(t, err) || len(missing) <= points-at && kill() {
					return
				}
				select {
				case <-ended:
					t.Error("the run ended before a kill")
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
	kills.Go(func() { // an operator
		for {
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Millisecond):
				// A controller that comes back can start tasks twice. The node refuses and drains.
				_ = exec.Command("scontrol", "update", "NodeName=n1,n2", "State=RESUME").Run() // fails for other states
			}
		}
	})
	report, err := slurm.Run(plan, store, options(t))
	if err == nil && len(report.Lost) > 0 { // three of the five kills hit the three tries of a point
		report, err = slurm.Run(plan, store, options(t))
	}
	close(ended)
	kills.Wait()
	require.NoError(t, err)
	require.Empty(t, report.Lost)
	assert.Equal(t, want, collected(t, plan, store))
	c.Idle(t)
}

// killWorker kills the process of a task. It reports whether there was one.
func killWorker() bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, f := range files {
		text, _ := os.ReadFile(f) // the process may have ended
		words := strings.Split(string(text), "\x00")
		if words[0] == os.Args[0] && slices.Contains(words, "--shard") {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			return err == nil && syscall.Kill(id, syscall.SIGKILL) == nil
		}
	}
	return false
}

// fullDisk runs a daemon that finds the store on a disk with 100 kB of room: it reads the files of
// others, and its own are lost.
const fullDisk = `set -e
mount -t tmpfs -o size=100k full "$0"
mkdir "$0/upper" "$0/work"
mount -t overlay -o lowerdir="$1",upperdir="$0/upper",workdir="$0/work" overlay "$1"
shift
exec "$@"`

// testFullDisk: a node without room loses the points of its tasks. Another one makes them.
func testFullDisk(t *testing.T, c *slurmtest.Cluster) {
	plan, store := open(t, 100)
	want := local(t, plan)
	c.Kill(slurmtest.Node2)
	c.Start(t, slurmtest.Node2, "unshare", "-m", "sh", "-c", fullDisk, t.TempDir(), store.Folder())
	c.Idle(t)
	o := options(t)
	var said []string
	o.Say = func(text string) { said = append(said, text); t.Log(text) }
	report, err := slurm.Run(plan, store, o)
	require.NoError(t, err)
	require.Empty(t, report.Lost)
	assert.Equal(t, want, collected(t, plan, store))
	if assert.Len(t, said, 1) {
		assert.Contains(t, said[0], ": task 2 ended")
		assert.Contains(t, said[0], "; no more on n2")
	}
	c.Idle(t)
	c.Kill(slurmtest.Node2)
	c.Start(t, slurmtest.Node2)
	c.Idle(t)
}

// testNotShared: both nodes have another file system in place of the store.
func testNotShared(t *testing.T, c *slurmtest.Cluster) {
	plan, store := open(t, 10)
	for _, node := range []string{slurmtest.Node1, slurmtest.Node2} {
		c.Kill(node)
		c.Start(t, node, "unshare", "-m", "sh", "-c", `mount -t tmpfs other "$0" && exec "$@"`, store.Folder())
	}
	c.Idle(t)
	_, err := slurm.Run(plan, store, options(t))
	assert.ErrorContains(t, err, "tasks: no file has come from n1")
	c.Idle(t)
	for _, node := range []string{slurmtest.Node1, slurmtest.Node2} {
		c.Kill(node)
		c.Start(t, node)
	}
	c.Idle(t)
}

// testNoAnswer: a run whose tasks the controller does not take waits for it, and submits them again.
func testNoAnswer(t *testing.T, c *slurmtest.Cluster) {
	plan, store := open(t, 10)
	o := options(t)
	o.Point = func([]int) (time.Duration, error) {
		c.Kill(slurmtest.Controller)
		return 0, nil
	}
	waits := 0
	o.Say = func(text string) {
		assert.Contains(t, text, "waiting for Slurm: squeue: slurm_load_jobs error: Unable to contact slurm controller")
		waits++
		c.Start(t, slurmtest.Controller)
	}
	report, err := slurm.Run(plan, store, o)
	require.NoError(t, err)
	assert.Equal(t, 1, waits)
	assert.Empty(t, report.Lost)
	assert.Equal(t, 10, report.Made)
	c.Idle(t)
}

// testStopped: the tasks of a run that was stopped go on. The next run waits for them, and submits
// nothing. There are as many tasks as an array can have.
func testStopped(t *testing.T, c *slurmtest.Cluster) {
	plan, store := open(t, 100)
	o := options(t)
	o.Task = time.Millisecond
	made := 0
	o.Progress = func(r slurm.Report) { made = r.Made }
	o.Stop = func() bool { return made > 0 }
	var said string
	o.Say = func(text string) { said = text }
	_, err := slurm.Run(plan, store, o)
	require.ErrorIs(t, err, slurm.ErrStopped)
	assert.Regexp(t, `^\d+ tasks go on: the same command waits for them, "scancel --name=divergo-\w{12}" cancels them$`, said)

	report, err := slurm.Run(plan, store, options(t))
	require.NoError(t, err)
	assert.Equal(t, 100, report.Points)
	assert.Less(t, 0, report.Before)
	assert.Equal(t, local(t, plan), collected(t, plan, store))
	submissions, err := os.ReadDir(filepath.Join(store.Folder(), "slurm"))
	require.NoError(t, err)
	assert.Len(t, submissions, 1)
	c.Idle(t)
}

// TestAbsent: a computer without Slurm.
func TestAbsent(t *testing.T) {
	plan, store := open(t, 1)
	t.Setenv("PATH", t.TempDir())
	_, err := slurm.Run(plan, store, options(t))
	assert.EqualError(t, err, "scontrol: not found, want a computer with the commands of Slurm")
}

// silent are commands of Slurm whose nodes run all tasks, and write no file here.
var silent = map[string]string{
	"scontrol": `echo "MaxArraySize = 1001"`,
	"sbatch":   `: >"${0%/*}/submitted"`,
	"squeue":   `[ ! -e "${0%/*}/submitted" ] || echo 1 0 RUNNING n1`,
	"scancel":  `echo "$*" >"${0%/*}/cancelled"`,
}

// TestSilent: tasks that run for a minute without a file here are cancelled. No cluster can let
// them run so long, so scripts stand for it, on a clock that does not wait.
func TestSilent(t *testing.T) {
	bin := t.TempDir()
	for name, text := range silent {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	t.Setenv("PATH", bin)
	plan, store := open(t, 1)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := slurm.Run(plan, store, options(t))
		assert.ErrorContains(t, err, "tasks: no file has come from n1, want a store on a file system that all nodes share")
		assert.InDelta(t, time.Minute, time.Since(start), float64(15*time.Second))
	})
	text, err := os.ReadFile(filepath.Join(bin, "cancelled"))
	require.NoError(t, err)
	assert.Regexp(t, `^--name=divergo-\w{12} --user=\d+\n$`, string(text))
}

// TestRace: eight workers make the same points at once.
func TestRace(t *testing.T) {
	points := 24
	if testing.Short() {
		points = 3
	}
	plan, store := open(t, points)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			out, err := exec.Command(os.Args[0], "sweep", plan.File, "--store", store.Folder()).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
	workers.Wait()
	assert.Equal(t, local(t, plan), collected(t, plan, store))
}

// sacct is accounting after which task 7 of each array ran out of memory.
const sacct = `#!/bin/sh
[ "$1 $2 $3 $4" = "--allocations --noheader --parsable2 --format=JobID,State,NodeList" ] || exit
echo "${5#--jobs=}_6|COMPLETED|n9"
echo "${5#--jobs=}_7|OUT_OF_MEMORY|n9"
`

// testLost: a point that ends its task in each try is reported, after its task had no other point.
// The cluster has no accounting, which needs a data base: a script prints in the format of sacct's
// manual.
func testLost(t *testing.T) {
	t.Setenv("ENDS", "7")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "sacct"), []byte(sacct), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	plan, store := open(t, 10)
	report, err := slurm.Run(plan, store, options(t))
	require.NoError(t, err)
	require.Len(t, report.Lost, 1)
	lost := report.Lost[0]
	assert.Equal(t, 7, lost.Point)
	assert.Equal(t, 3, lost.Tries)
	assert.Equal(t, "task 7 ended with OUT_OF_MEMORY on n9: point 7 ends its task", lost.Why)
	assert.Equal(t, 9, report.Made)
	missing, err := store.Missing(plan)
	require.NoError(t, err)
	assert.Equal(t, []int{7}, missing)
}

// testCancelled: tasks have the options of the run and of the plan. What was cancelled in the queue is
// not submitted again.
func testCancelled(t *testing.T) {
	plan, store := open(t, 100)
	o := options(t)
	o.Progress = func(r slurm.Report) {
		if r.Running > 0 {
			out, err := exec.Command("squeue", "--noheader", "--states=PENDING", "--format=%P %l %m %k").CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, "main 30:00 100M ours\n", string(out))
			require.NoError(t, exec.Command("scancel", "--user="+strconv.Itoa(os.Getuid())).Run())
		}
	}
	o.Partition, o.Time, o.Memory = "main", "30", "100M"
	_, err := slurm.Run(plan, store, o)
	assert.EqualError(t, err, "tasks were cancelled in the queue: the same command continues")
}

func testRefused(t *testing.T) {
	plan, store := open(t, 3)
	for _, c := range []struct {
		change func(*slurm.Options)
		want   string
	}{
		{func(o *slurm.Options) { o.Partition = "absent" }, "sbatch: error: invalid partition specified: absent"},
		{func(o *slurm.Options) { o.Memory = "1T" }, "Requested node configuration is not available"},
		{func(o *slurm.Options) { o.Time = "soon" }, "Invalid --time specification"},
	} {
		o := options(t)
		c.change(&o)
		_, err := slurm.Run(plan, store, o)
		assert.ErrorContains(t, err, c.want)
	}
}
