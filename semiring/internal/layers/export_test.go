package layers

// SetMostNodes makes graphs of more nodes than that several segments, and returns how to undo it.
func SetMostNodes(n int) (undo func()) {
	before := mostNodes
	mostNodes = n
	return func() { mostNodes = before }
}
