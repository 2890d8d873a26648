// Package slurmtest runs a private Slurm cluster on this machine, for tests: a controller and two
// nodes, on free ports of the loopback interface and with a key of their own. Everything lies in
// one temporary folder. The daemons of the system are not involved.
package slurmtest

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"divergo/internal/need"
)

// Tools are the tools of the table of package need that a cluster consists of.
var Tools = []string{"slurmctld", "slurmd", "sbatch", "munged"}

// MaxArraySize bounds the tasks of a job array.
const MaxArraySize = 20

// Names of the daemons. Each of the two nodes has two CPUs.
const (
	Controller = "slurmctld"
	Node1      = "n1"
	Node2      = "n2"
	keys       = "munged"
)

// Cluster is a running cluster.
type Cluster struct {
	dir     string
	mu      sync.Mutex
	daemons map[string]*exec.Cmd
}

// configuration is that of the cluster, with words in capitals to replace. A node without a daemon
// is lost after five seconds. Jobs inherit the limits of the daemon of their node.
const configuration = `ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT0
SlurmUser=USER
SlurmdUser=USER
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
PropagateResourceLimits=NONE
ReturnToService=2
SlurmdTimeout=5
KillWait=1
MessageTimeout=3
BatchStartTimeout=1
MaxArraySize=ARRAY
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,default_queue_depth=1000
SlurmdParameters=config_overrides
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=HOST Port=PORT1 CPUs=2 RealMemory=1000
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=HOST Port=PORT2 CPUs=2 RealMemory=1000
PartitionName=main Nodes=n1,n2 Default=YES State=UP
`

// reap waits for the end of its input. Then it kills each process of the cluster: those that have
// its configuration in their environment.
const reap = `cat >/dev/null
for again in 1 2; do
	for p in /proc/[0-9]*; do
		tr '\0' '\n' 2>/dev/null <$p/environ | grep -qxF "SLURM_CONF=$0" && kill -9 ${p#/proc/}
	done
	sleep 0.1
done
rm -rf "${0%/*}"`

// New starts a cluster and waits until both nodes are idle. Commands that the test runs use it. New
// skips the test if a tool is missing. The cluster ends with the test, or with its process.
func New(t testing.TB) *Cluster {
	t.Helper()
	need.Tool(t, Tools...)
	dir, err := os.MkdirTemp("", "slurm") // not that of the test, whose name is too long for a socket
	check(t, err)
	c := &Cluster{dir: dir, daemons: map[string]*exec.Cmd{}}

	reaper := exec.Command("sh", "-c", reap, c.file("slurm.conf"))
	input, err := reaper.StdinPipe()
	check(t, err)
	check(t, reaper.Start())
	t.Setenv("SLURM_CONF", c.file("slurm.conf"))
	t.Cleanup(func() {
		if t.Failed() {
			c.showLogs(t)
		}
		_ = input.Close()
		_ = reaper.Wait() // its last kill may have come too late
	})

	host, err := os.Hostname()
	check(t, err)
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	check(t, err)
	words := []string{"HOST", host, "USER", me.Username, "DIR", dir, "ARRAY", strconv.Itoa(MaxArraySize)}
	for i, port := range freePorts(t) {
		words = append(words, fmt.Sprintf("PORT%d", i), strconv.Itoa(port))
	}
	key := make([]byte, 128)
	_, _ = rand.Read(key)          // it never fails
	check(t, os.Chmod(dir, 0o755)) // munged wants that
	check(t, os.Mkdir(c.file("state"), 0o755))
	check(t, os.WriteFile(c.file("munge.key"), key, 0o400))
	text := strings.NewReplacer(words...).Replace(configuration)
	check(t, os.WriteFile(c.file("slurm.conf"), []byte(text), 0o644))
	for _, name := range []string{keys, Controller, Node1, Node2} {
		c.Start(t, name)
	}
	c.Idle(t)
	return c
}

// freePorts returns three free ports.
func freePorts(t testing.TB) (ports [3]int) {
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(t, err)
		defer l.Close() // so that the next one is another
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// file returns the path of a file of the cluster.
func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

// Start starts a daemon. The words of by are a command that runs the command given by the words
// after it.
func (c *Cluster) Start(t testing.TB, name string, by ...string) {
	t.Helper()
	words := map[string][]string{
		keys: {
			"/usr/sbin/munged", "--foreground", "--force", "--key-file=" + c.file("munge.key"),
			"--socket=" + c.file("munge.socket"), "--pid-file=" + c.file("munged.pid"),
			"--seed-file=" + c.file("munge.seed"), "--log-file=" + c.file("munged.log"),
		},
		Controller: {"/usr/sbin/slurmctld", "-D"},
		Node1:      {"/usr/sbin/slurmd", "-D", "-N", Node1},
		Node2:      {"/usr/sbin/slurmd", "-D", "-N", Node2},
	}[name]
	words = append(by, words...)
	log, err := os.OpenFile(c.file(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	check(t, err)
	defer log.Close()
	d := exec.Command(words[0], words[1:]...)
	d.Stdout, d.Stderr = log, log
	check(t, d.Start())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.daemons[name] = d
}

// Kill kills a daemon with SIGKILL. Jobs of a node go on.
func (c *Cluster) Kill(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.daemons[name].Process.Kill()
	_ = c.daemons[name].Wait() // it reports the kill
}

// Idle waits until both nodes are idle.
func (c *Cluster) Idle(t testing.TB) {
	t.Helper()
	var out []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		out, _ = exec.Command("sinfo", "--noheader", "--Node", "--format=%N %t").CombinedOutput()
		if string(out) == "n1 idle\nn2 idle\n" {
			return
		}
	}
	t.Fatalf("the nodes are not idle after a minute:\n%s", out)
}

// showLogs shows the queue, and the end of the logs of controller and nodes.
func (c *Cluster) showLogs(t testing.TB) {
	queue, _ := exec.Command("squeue", "--array", "--states=all").CombinedOutput()
	t.Logf("squeue:\n%s", queue)
	for _, name := range []string{Controller, Node1, Node2} {
		text, _ := os.ReadFile(c.file(name + ".log"))
		t.Logf("%s:\n%s", name, text[max(0, len(text)-4000):])
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
