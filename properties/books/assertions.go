package books

import (
	"divergo/sm"
	"divergo/sm/divergence"
)

// watchAssertions checks the assertions of the mechanism in each cycle in which the issue stage selects
// an instruction.
func watchAssertions(v *View) {
	v.Leave(v.sm.Issue.OnClass.Add(func(e sm.Spent) {
		for i := range v.mechanism.Asserts {
			if a := &v.mechanism.Asserts[i]; !a.Holds(v.sm.Div) {
				v.Fail(Rule{checkAssertion, a.Name}, nil, "SM %d, cycle %d: %s does not hold: %s", v.index, e.Cycle, a.Name, a.Doc)
			}
		}
	}))
}

// assertions lists those of all mechanisms.
func assertions() (list []string) {
	for _, m := range divergence.Mechanisms() {
		for _, a := range m.Asserts {
			list = append(list, m.Name+": "+a.Name+": "+a.Doc+".")
		}
	}
	return list
}
