package experiments

// s1 has the claims of paired-path comparison.
var s1 []Claim
