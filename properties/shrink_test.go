package properties

import (
	"testing"

	"divergo/gpu"
	"divergo/properties/books"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusedLaunchIsNoCounterexample: a smaller case whose block does not fit its machine fails checker
// outcome too, but it is not a smaller case of a deadlock.
func TestRefusedLaunchIsNoCounterexample(t *testing.T) {
	k := looped(t, 2)
	k.Block[0] = uint32(k.Machine.SM.Threads) + 1
	refused := failure(t, k, "pdom")
	require.Equal(t, checkOutcome, refused.Checker)
	require.Contains(t, refused.What, "threads, an SM has")

	deadlock := &Failure{Checker: checkOutcome, Mechanism: "pdom", Case: *looped(t, 3).Case}
	deadlock.at.Rule = books.Rule{Checker: checkOutcome, Name: gpu.Deadlock.String()}
	var r runner
	assert.Nil(t, r.fails(*k.Case, deadlock))
	refused.Case.Kernel = looped(t, 3).Kernel
	assert.NotNil(t, r.fails(*k.Case, refused), "a refused launch stays one")
}
