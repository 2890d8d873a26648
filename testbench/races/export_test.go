package races

// SetRoom bounds how many pages of global memory are kept.
func (d *Detector) SetRoom(pages int) { d.room = pages }
