package fst

// DefaultDepth is the depth of calls that Replace allows by default.
const DefaultDepth = 1000

// Calls says how Replace makes calls; nil stands for the zero value.
type Calls struct {
	// Depth is how deep calls may be nested; 0 stands for DefaultDepth.
	Depth int
	// Enter returns the labels of the arcs into a machine, given those of the arc that
	// calls it; nil makes them ε. With
	//
	//	func(_, out int32) (int32, int32) { return fst.Epsilon, out }
	//
	// and a Leave of this kind, what a path writes is its derivation in brackets.
	Enter func(in, out int32) (int32, int32)
	// Leave returns the labels of the arcs back, given the label that the machine
	// replaces; nil makes them ε.
	Leave func(label int32) (in, out int32)
}

// resolved returns what o stands for.
func (o *Calls) resolved() Calls {
	r := Calls{
		Depth: DefaultDepth,
		Enter: func(_, _ int32) (int32, int32) { return Epsilon, Epsilon },
		Leave: func(int32) (int32, int32) { return Epsilon, Epsilon },
	}
	if o == nil {
		return r
	}
	if o.Depth > 0 {
		r.Depth = o.Depth
	}
	if o.Enter != nil {
		r.Enter = o.Enter
	}
	if o.Leave != nil {
		r.Leave = o.Leave
	}
	return r
}
