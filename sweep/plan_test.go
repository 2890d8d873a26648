package sweep

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

func plan(t testing.TB, text string) *Plan {
	t.Helper()
	name := filepath.Join(t.TempDir(), "plan.toml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	p, err := Read(name)
	require.NoError(t, err)
	return p
}

func TestMeasure(t *testing.T) {
	var v []string
	for i := range 1000 { v = append(v, fmt.Sprint(i+1)) }
	text := `kernel = "vecadd"
[product]
gpu.sms = [1, 2, 4, 8, 16]
sm.scheduler = ["lrr", "gto"]
l1.mshrs = [8, 16]
clocks.core_mhz = [`+strings.Join(v, ",")+"]\n"
	at := time.Now()
	p := plan(t, text)
	t.Log(p.Len(), time.Since(at))
	at = time.Now()
	for i := range 1000 { p.Key(i) }
	t.Log("1000 keys", time.Since(at))
	m := maker{Plan: p}
	for range 3 {
		at = time.Now()
		r, err := m.make(0, "")
		require.NoError(t, err)
		t.Log(time.Since(at), len(r.Stats), r.LimitedBy, r.Outcome, r.Message)
		line, _ := r.encode()
		t.Log(len(line))
		at = time.Now()
		_, err = decode("x", line)
		require.NoError(t, err)
		t.Log("decode", time.Since(at))
		
	}
	s, err := OpenStore(filepath.Join("/tmp/wt/sweep", "st"))
	require.NoError(t, err)
	r, _ := m.make(0, "")
	at = time.Now()
	for i := range 20 { require.NoError(t, s.Put(p.Key(i), r)) }
	t.Log("put", time.Since(at)/20)
	os.RemoveAll("/tmp/wt/sweep/st")
}
