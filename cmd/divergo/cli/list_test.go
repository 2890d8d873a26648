package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
)

// TestClaimsJSON: what `list claims --json` prints of a claim is the claim and what was
// found. The scripts list all of them, which takes a while, as text alone.
func TestClaimsJSON(t *testing.T) {
	claims := experiments.Claims()
	claim := claims[slices.IndexFunc(claims, func(c experiments.Claim) bool { return c.ID == "C0-01" })]
	list := catalogues[slices.IndexFunc(catalogues, func(l catalogue) bool { return l.name == "claims" })]
	var out bytes.Buffer
	c := &cobra.Command{}
	c.SetOut(&out)
	require.NoError(t, list.print(c, claimEntries(&claim, claim.Try()), true))
	var got struct {
		Schema string
		Claims []map[string]string
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, "divergo.list.v1", got.Schema)
	require.Len(t, got.Claims, 1)
	for key, want := range map[string]string{
		"id": "C0-01", "place": claim.Place, "statement": claim.Statement, "why": "",
		"theirs": "1 2 2 3; 2 2 1 4; 2 3 2 2", "ours": "1 2 2 3; 2 2 1 4; 2 3 2 2", "verdict": "match",
	} {
		assert.Equal(t, want, got.Claims[0][key], key)
	}
}
