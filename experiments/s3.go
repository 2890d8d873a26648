package experiments

// s3 has the claims about the cost of divergence with synchronisation tokens.
var s3 []Claim
