package isa

func (d *datapath) addApproximations() {}
