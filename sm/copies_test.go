package sm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/isa"
)

// TestGroups: a wait for all but the last n groups, after a history of copies (c), commits (|) and
// completions (d). A number of 8 or more waits as 7 does.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		history string
		waits   string // numbers of groups that may be left at the end of a wait
		all     bool   // wait_all ends
	}{
		{"", "01234567", true},
		{"c", "01234567", false},
		{"c|", "1234567", false},
		{"c|d", "01234567", true},
		{"c|cc|", "234567", false},
		{"c|cc|d", "1234567", false},
		{"c|cc|dd", "1234567", false},
		{"c|cc|ddd", "01234567", true},
		{"c||", "234567", false},
		{"|c|", "1234567", false},
		{"c|c", "1234567", false},
		{"c|cd", "01234567", false},
		{"c|||||||", "7", false},
		{"c||||||||", "", false}, // the eighth group waits with the older ones
		{"c|c|c|c|c|c|c|c|c|c|", "", false},
		{"c|c|c|c|c|c|c|c|c|c|dd", "", false},
		{"c|c|c|c|c|c|c|c|c|c|ddd", "7", false},
		{"c|c|c|c|c|c|c|c|c|c|dddddddddd", "01234567", true},
	} {
		var g groups
		for _, event := range tt.history {
			switch event {
			case 'c':
				g.Open++
			case '|':
				g.commit()
			case 'd':
				g.complete()
			}
		}
		landed := func(n uint64) bool {
			return g.landed(&isa.Inst{
				Op: isa.OpCopyWait, NSrc: 1,
				Src: [isa.MaxSrcs]isa.Operand{{Kind: isa.OperandImm, Imm: n}},
			})
		}
		waits := ""
		for n := range uint64(openGroups) {
			if landed(n) {
				waits += string(rune('0' + n))
			}
		}
		assert.Equal(t, tt.waits, waits, tt.history)
		for _, n := range []uint64{8, 9, 100} {
			assert.Equal(t, strings.Contains(tt.waits, "7"), landed(n), "%s, wait_group %d", tt.history, n)
		}
		assert.Equal(t, tt.all, g.landed(&isa.Inst{Op: isa.OpCopyWait, Mode: isa.ModeAll}), tt.history)
	}
}
