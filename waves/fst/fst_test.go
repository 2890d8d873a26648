package fst

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/need"
)

// drawn is a dump to be drawn at random.
type drawn struct {
	Seed    int64
	Signals int
	Times   int
	Busy    int // signals that change at a time, in percent
	Limit   int // bytes of a block
}

func (d drawn) String() string {
	return fmt.Sprintf("%d signals, %d times, %d%% of the signals change, blocks of %d bytes, seed %d",
		d.Signals, d.Times, d.Busy, d.Limit, d.Seed)
}

// signal is the history of a signal: times and values as text.
type signal struct {
	name  string
	width int
	wire  bool
	at    []uint64
	texts []string
}

// changes is the signal without repetitions of the same value.
func (s signal) changes() signal {
	c := signal{name: s.name, width: s.width, wire: s.wire}
	for i, text := range s.texts {
		if i == 0 || text != s.texts[i-1] {
			c.at, c.texts = append(c.at, s.at[i]), append(c.texts, text)
		}
	}
	return c
}

// draw writes a dump, and returns what readers must find in it, and the last time.
func (d drawn) draw(w *Writer) (signals []signal, end uint64, err error) {
	r := rand.New(rand.NewPCG(uint64(d.Seed), 0))
	w.limit = d.Limit
	var ids []int
	var values []uint64
	depth := 1
	w.Scope("top")
	path := []string{"top"}
	for i := range d.Signals {
		switch r.IntN(4) {
		case 0:
			w.Scope(fmt.Sprint("s", i))
			path = append(path, fmt.Sprint("s", i))
			depth++
		case 1:
			if depth > 1 {
				w.Up()
				path = path[:len(path)-1]
				depth--
			}
		}
		s := signal{name: fmt.Sprint("v", i), width: 1, wire: r.IntN(2) == 0}
		switch r.IntN(4) {
		case 0:
			s.width = 1 + r.IntN(1024)
		case 1, 2:
			s.width = 1 + r.IntN(64)
		}
		kind := Reg
		if s.wire {
			kind = Wire
		}
		ids = append(ids, w.Var(kind, s.name, s.width))
		s.name = strings.Join(path, ".") + "." + s.name
		signals = append(signals, s)
	}
	for range depth {
		w.Up()
	}
	now := r.Uint64N(1 << r.IntN(60))
	change := func(i int) []uint64 {
		s := &signals[i]
		value := make([]uint64, wordsOf(uint32(s.width)))
		text := ""
		for j := range value {
			if value[j] = r.Uint64(); r.IntN(2) == 0 {
				value[j] &= 3
			}
			if j == len(value)-1 {
				value[j] &= ^uint64(0) >> (63 - (s.width-1)%64)
			}
			digits := fmt.Sprintf("%064b", value[j])
			text = digits + text
		}
		s.at, s.texts = append(s.at, now), append(s.texts, text[len(text)-s.width:])
		return value
	}
	for i := range signals {
		values = append(values, change(i)...)
	}
	w.Start(now, values)
	end = now
	for range d.Times {
		now += 1 + r.Uint64N(1<<r.IntN(40))
		w.Time(now)
		end = now
		if r.IntN(8) == 0 {
			continue // a stretch without changes
		}
		for i := range signals {
			if r.IntN(100) >= d.Busy {
				continue
			}
			if value := change(i); len(value) == 1 {
				w.Change(ids[i], value[0])
			} else {
				w.ChangeWide(ids[i], value)
			}
		}
	}
	return signals, end, w.Close()
}

// read reads the file with GTKWave's fst2vcd.
func read(name string) (signals []signal, end uint64, err error) {
	c := exec.Command("timeout", "60", "fst2vcd", name)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil || errs.Len() > 0 {
		return nil, 0, fmt.Errorf("fst2vcd: %w: %s", err, errs.String())
	}
	byID := map[string]int{}
	var path []string
	for line := range strings.Lines(out.String()) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "$scope":
			path = append(path, f[2])
		case f[0] == "$upscope":
			path = path[:len(path)-1]
		case f[0] == "$var":
			width, err := strconv.Atoi(f[2])
			if err != nil {
				return nil, 0, err
			}
			byID[f[3]] = len(signals)
			signals = append(signals, signal{
				name: strings.Join(append(slices.Clone(path), f[4]), "."), width: width, wire: f[1] == "wire",
			})
		case f[0][0] == '#':
			if end, err = strconv.ParseUint(f[0][1:], 10, 64); err != nil {
				return nil, 0, err
			}
		case len(f) == 2 && f[0][0] == 'b':
			s := &signals[byID[f[1]]]
			s.at, s.texts = append(s.at, end), append(s.texts, f[0][1:])
		case len(f) == 1 && (f[0][0] == '0' || f[0][0] == '1') && len(byID) > 0:
			s := &signals[byID[f[0][1:]]]
			s.at, s.texts = append(s.at, end), append(s.texts, f[0][:1])
		}
	}
	return signals, end, nil
}

// TestProperties: GTKWave's reader finds every signal with its width and every change at its time.
func TestProperties(t *testing.T) {
	need.Tool(t, "gtkwave")
	dir := t.TempDir()
	dumps := forall.Struct[drawn](map[string]gopter.Gen{
		"Seed": gen.Int64Range(1, 1<<40), "Signals": gen.IntRange(1, 40), "Times": gen.IntRange(0, 300),
		"Busy": forall.OneOf(1, 10, 50, 100), "Limit": forall.OneOf(minBlock, 64, 1000, 20000),
	})
	forall.CheckMany(t, 200, "GTKWave reads every change that was written", dumps, func(t *forall.T, d drawn) {
		file, err := os.Create(filepath.Join(dir, "x.fst"))
		require.NoError(t, err)
		w := NewWriter(file, -15)
		want, end, err := d.draw(w)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		got, last, err := read(file.Name())
		require.NoError(t, err)
		require.Equal(t, max(end, want[0].at[0]+1), max(last, want[0].at[0]+1))
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i].changes(), got[i].changes())
		}
	})
}

// memory is a file in memory that keeps each write.
type memory struct {
	file   []byte
	writes []struct {
		at   int64
		data []byte
	}
}

func (m *memory) WriteAt(b []byte, at int64) (int, error) {
	m.writes = append(m.writes, struct {
		at   int64
		data []byte
	}{at, slices.Clone(b)})
	m.file = append(m.file, make([]byte, max(0, int(at)+len(b)-len(m.file)))...)
	return copy(m.file[at:], b), nil
}

// TestSameBytes: the same calls give the same file, without a date.
func TestSameBytes(t *testing.T) {
	d := drawn{Seed: 5, Signals: 30, Times: 300, Busy: 50, Limit: 4000}
	var one, two memory
	_, _, err := d.draw(NewWriter(&one, -15))
	require.NoError(t, err)
	_, _, err = d.draw(NewWriter(&two, -15))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(one.file, two.file))
	const date = 1 + 9*8 + 1 + 128 // after the type, nine numbers, the scale and the version
	assert.Equal(t, make([]byte, 119), one.file[date:][:119])
}

// TestKilled: whenever the writer is killed, even within a write, readers find the changes up to
// some time, or no dump.
func TestKilled(t *testing.T) {
	need.Tool(t, "gtkwave")
	var m memory
	whole, _, err := drawn{Seed: 9, Signals: 5, Times: 200, Busy: 50, Limit: 1000}.draw(NewWriter(&m, -15))
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "x.fst")
	some := 0
	for n := range m.writes {
		for _, half := range []bool{false, true} {
			var left memory
			for _, w := range m.writes[:n] {
				left.WriteAt(w.data, w.at)
			}
			if w := m.writes[n]; half {
				whole := len(left.file)
				left.WriteAt(w.data[:len(w.data)/2], w.at)
				if n > 0 && len(left.file) > whole {
					require.EqualValues(t, skippedBlock, left.file[whole], "readers skip half a block")
				}
			}
			require.NoError(t, os.WriteFile(name, left.file, 0o666))
			got, _, err := read(name)
			if err != nil {
				require.Less(t, n, 9, "a dump with a whole block of changes can be read") // header and two blocks before it
				continue
			}
			for i := range got {
				want, found := whole[i].changes(), got[i].changes()
				require.Equal(t, want.at[:len(found.at)], found.at)
				require.Equal(t, want.texts[:len(found.at)], found.texts)
				some += len(found.at)
			}
		}
	}
	assert.Greater(t, some, 1000)
}

// failing cannot be written after some bytes.
type failing struct{ left int }

func (f *failing) WriteAt(b []byte, _ int64) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, os.ErrPermission
	}
	return len(b), nil
}

func TestFailedWrite(t *testing.T) {
	d := drawn{Seed: 5, Signals: 30, Times: 300, Busy: 50, Limit: 4000}
	for _, bytes := range []int{0, 500, 10000} {
		w := NewWriter(&failing{bytes}, -15)
		_, _, err := d.draw(w)
		require.ErrorIs(t, err, os.ErrPermission)
		assert.True(t, w.Failed())
	}
}

// TestManyBits: the values at the beginning of a block are compressed in several parts. GTKWave reads
// them all.
func TestManyBits(t *testing.T) {
	need.Tool(t, "gtkwave")
	name := filepath.Join(t.TempDir(), "x.fst")
	file, err := os.Create(name)
	require.NoError(t, err)
	w := NewWriter(file, -15)
	want, _, err := drawn{Seed: 3, Signals: 1000, Times: 20, Busy: 10, Limit: minBlock}.draw(w)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Greater(t, w.bitCount, 3*textPart)
	got, _, err := read(name)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i].changes(), got[i].changes())
	}
}
