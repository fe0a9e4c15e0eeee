package program

// Given reports whether the arguments set a flag, to something else than nothing.
func (r *Run) Given(flag string) bool { return r.program.given()[flag] }
