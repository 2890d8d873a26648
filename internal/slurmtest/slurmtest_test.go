package slurmtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/slurmtest"
)

// Example runs a command on a node, and starts the daemon of the node again.
func Example() {
	_ = func(t *testing.T) {
		c := slurmtest.New(t)
		out, err := exec.Command("srun", "--nodelist="+slurmtest.Node2, "hostname").CombinedOutput()
		require.NoError(t, err, "%s", out)
		c.Kill(slurmtest.Node2)
		c.Start(t, slurmtest.Node2)
		c.Idle(t)
	}
}

// TestCluster: each node runs a command. A job that still runs at the end of the test, and all
// daemons, end with it.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s")
	}
	var conf string
	t.Run("cluster", func(t *testing.T) {
		c := slurmtest.New(t)
		conf = os.Getenv("SLURM_CONF")
		for _, node := range []string{slurmtest.Node1, slurmtest.Node2} {
			out, err := exec.Command("srun", "--nodelist="+node, "sh", "-c", "echo $SLURMD_NODENAME").CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, node+"\n", string(out))
		}
		c.Idle(t) // the job of a node that is killed completes after a minute
		c.Kill(slurmtest.Node2)
		c.Start(t, slurmtest.Node2)
		c.Idle(t)
		out, err := exec.Command("sbatch", "--output=/dev/null", "--wrap=exec sleep 1000").CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.NotEmpty(t, processes(t, conf))
	})
	if conf != "" {
		assert.Empty(t, processes(t, conf))
		assert.NoDirExists(t, filepath.Dir(conf))
	}
}

// processes returns the commands of all processes of a cluster.
func processes(t *testing.T, conf string) (list []string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, f := range files {
		text, _ := os.ReadFile(f) // the process may have ended
		if strings.Contains(string(text), "SLURM_CONF="+conf+"\x00") {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			list = append(list, string(command))
		}
	}
	return list
}
