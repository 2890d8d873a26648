package frontier

import (
	"divergo/properties/books"
	"divergo/sm"
	"divergo/sm/divergence"
)

func init() {
	books.Register("frontier", Watch, books.Checker{
		Name: "frontier", Doc: "frontier: of the threads of a warp those at the smallest PC issue", From: "Diamos et al., MICRO 2011",
	})
}

// Watch checks that the path that issues has the smallest PC. It follows each thread from the
// issued instructions, not from the list.
func Watch(o *books.Observer) {
	issue := o.SM().Issue
	look := func(e sm.Issued) {
		at := o.SM().Div.Slots().At(int(e.Slot)).At()
		o.Ready(int(e.Row), func(p divergence.Point, lanes uint64) {
			if p.Before(at) {
				o.Fail(books.Rule{Checker: "frontier", Name: "not the smallest PC"}, books.InRow(int(e.Row), lanes),
					"cycle %d: row %d issues PC %d, its lanes %#x are at PC %d", e.Cycle, e.Row, at.PC, lanes, p.PC)
			}
		})
	}
	o.Leave(issue.OnIssue.Add(look), issue.OnInserted.Add(look))
}
