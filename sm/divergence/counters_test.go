package divergence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/sm/divergence"
)

// TestBegin: a launch resets the peaks of a mechanism, and no other counter.
func TestBegin(t *testing.T) {
	type counts struct {
		Joins uint64 `name:"joins" doc:"in all" source:"the test"`
		Most  uint64 `name:"most" stat:"peak" doc:"at a time" source:"the test"`
	}
	var c divergence.Counted[counts]
	c.Init(counts{Joins: 7, Most: 3})
	c.Begin()
	assert.Equal(t, counts{Joins: 7}, c.Values())
}
