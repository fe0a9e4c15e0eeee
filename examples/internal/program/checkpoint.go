package program

import "fmt"

// Checkpoint declares -checkpoint, the name of a file.
func (p *Program) Checkpoint() *string {
	p.state = p.Flags.String("checkpoint", "", "keep the state of training in `FILE`, written after each iteration; go on from it if it exists")
	return p.state
}

// Beside returns the name of a further checkpoint beside one, for a stage of a training that has
// several: the name and the parts, with dots between, but for parts that are 0 or empty. It is
// empty if the name is.
func Beside(checkpoint string, parts ...any) string {
	if checkpoint == "" {
		return ""
	}
	for _, part := range parts {
		if text := fmt.Sprint(part); text != "" && text != "0" {
			checkpoint += "." + text
		}
	}
	return checkpoint
}
