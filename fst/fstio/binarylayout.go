package fstio

import "strings"

// layout is where a file of some type has its states and arcs.
type layout struct {
	// index is the number of bytes of a position in the array of arcs or elements; 0
	// says that there is no array, and arcs follow their state.
	index int
	// element is what a compact machine keeps of an arc, nil for one that keeps all.
	element *element
}

// element is what an element of a compact machine has beside an input label. An
// element is an arc or, as the first of a state and with label −1, a final weight.
type element struct {
	out    bool // an output label; otherwise it is the input label
	weight bool // otherwise it is One
	to     bool // where the arc leads; otherwise it is to s+1, and a state has one element
}

// layouts has the layouts of all types.
var layouts = func() map[Container]layout {
	elements := map[Container]element{
		CompactString:             {},
		CompactWeightedString:     {weight: true},
		CompactUnweightedAcceptor: {to: true},
		CompactAcceptor:           {weight: true, to: true},
		CompactUnweighted:         {out: true, to: true},
	}
	all := map[Container]layout{Vector: {}}
	for bits, index := range map[string]int{"8": 1, "16": 2, "": 4, "64": 8} {
		all[Const+Container(bits)] = layout{index: index}
		for name, e := range elements {
			kind := strings.TrimPrefix(string(name), "compact")
			all[Container("compact"+bits+kind)] = layout{index: index, element: &e}
		}
	}
	return all
}()
