// Package numbering numbers features by their names.
package numbering

// Numbering numbers names in the order of the first call of Of for each. The zero value
// is empty.
type Numbering struct {
	Names  []string // by number
	number map[string]int32
}

// Of returns the number of name.
func (x *Numbering) Of(name string) int32 {
	if x.number == nil {
		x.number = map[string]int32{}
	}
	k, ok := x.number[name]
	if !ok {
		k = int32(len(x.Names))
		x.number[name] = k
		x.Names = append(x.Names, name)
	}
	return k
}
