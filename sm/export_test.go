package sm

// Ready reports whether slot s could issue in this cycle.
func (i *Issue) Ready(s int) bool { return i.ready(s, i.Div.Slots().At(s)) }
