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

// Watch looks whether the path that issues is the first one. It knows where each thread is from
// what has issued, and not from the list.
func Watch(o *books.Observer) {
	issue := o.SM().Issue
	look := func(e sm.Issued) {
		at := o.SM().Div.Slots().At(int(e.Slot)).At()
		o.Ready(int(e.Row), func(p divergence.Point, lanes uint32) {
			if p.Before(at) {
				o.Fail(books.Rule{Checker: "frontier", Name: "not the smallest PC"}, books.InRow(int(e.Row), lanes),
					"cycle %d: row %d issues PC %d, its lanes %#x are at PC %d", e.Cycle, e.Row, at.PC, lanes, p.PC)
			}
		})
	}
	o.Leave(issue.OnIssue.Add(look), issue.OnInserted.Add(look))
}
