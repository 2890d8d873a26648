package experiments

// s4 has the claims of thread block compaction.
var s4 []Claim
