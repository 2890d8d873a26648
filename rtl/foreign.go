package rtl

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Foreign is storage outside of the program, such as the registers of a Verilog model. It is a field
// of the module that clocks the model. Reset, Restore, Snapshot and Hash include it. Its owner calls
// Init before elaboration.
type Foreign struct {
	model Model
	owned owned
	reset []byte // state at elaboration
	list  []ForeignSignal
	shown []byte // values of list, for observers
}

// Model is what a Foreign needs of a model.
type Model interface {
	// Save appends the whole state to b.
	Save(b []byte) []byte
	// Load returns to a saved state.
	Load(b []byte)
	// Signals lists what waveforms show. The list does not change.
	Signals() []ForeignSignal
	// Storage lists its registers and memories: see [Sim.Storage].
	Storage() []Storage
	// Sample copies the values of all signals to b.
	Sample(b []byte)
}

// ForeignSignal is a number, or an array of numbers, in the sample of a Model.
type ForeignSignal struct {
	Path  string // below the module, "unit.depth"
	Width int    // bits of a number, at most 64
	Count int    // numbers; 0: no array
	At    int    // of the first number in the sample
	Size  int    // bytes of a number: 1, 2, 4 or 8
}

// foreignTypes are the types of numbers by size.
var foreignTypes = map[int]reflect.Type{
	1: reflect.TypeFor[uint8](), 2: reflect.TypeFor[uint16](),
	4: reflect.TypeFor[uint32](), 8: reflect.TypeFor[uint64](),
}

// Init sets the model, before elaboration.
func (f *Foreign) Init(m Model) {
	f.model, f.list = m, m.Signals()
	end := 0
	for _, s := range f.list {
		end = max(end, s.At+max(s.Count, 1)*s.Size)
	}
	f.shown = bytesOfAll(make([]uint64, (end+7)/8)) // aligned
}

// Clocked tells observers, if there are any, that the model has had a clock edge in this cycle.
func (f *Foreign) Clocked() {
	if f.owned.sim.observers.Any() {
		f.model.Sample(f.shown)
		f.owned.note()
	}
}

func (f *Foreign) home() *owned { return &f.owned }

func (f *Foreign) typ() reflect.Type { return reflect.TypeFor[uint8]() }

func (f *Foreign) elaborated() { f.reset = f.model.Save(nil) }

func (f *Foreign) restart() { f.model.Load(f.reset) }

// save prefixes the state with its length, which need not be constant.
func (f *Foreign) save(b []byte) []byte {
	at := len(b)
	b = f.model.Save(binary.LittleEndian.AppendUint64(b, 0))
	binary.LittleEndian.PutUint64(b[at:], uint64(len(b)-at-8))
	return b
}

func (f *Foreign) load(b []byte) []byte {
	n := binary.LittleEndian.Uint64(b)
	f.model.Load(b[8 : 8+n])
	return b[8+n:]
}

func (f *Foreign) sum(d *digest) { d.bytes(f.model.Save(nil)) }

// signals appends what waveforms show.
func (f *Foreign) signals(out []Signal) []Signal {
	f.model.Sample(f.shown)
	for _, s := range f.list {
		t := foreignTypes[s.Size]
		if s.Count > 0 {
			t = reflect.ArrayOf(s.Count, t)
		}
		sig := Signal{Path: f.owned.path + "." + s.Path, Kind: Reg, Group: f.owned.group}
		// The sample has Count numbers of Size bytes from At on, and stays in place.
		sig.Type, sig.Ptr, sig.Size, sig.Width = t, unsafe.Pointer(&f.shown[s.At]), t.Size(), s.Width
		out = append(out, sig)
	}
	return out
}
