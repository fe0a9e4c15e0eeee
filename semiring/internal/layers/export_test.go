package layers

// SetMostNodes splits graphs of more than n nodes into segments, and returns a function to undo
// it.
func SetMostNodes(n int) (undo func()) {
	before := mostNodes
	mostNodes = n
	return func() { mostNodes = before }
}
