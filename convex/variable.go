package convex

// Hidden in place of a value says that it was not seen.
const Hidden = -1

// Variable describes one variable of a model and what was seen of it in each row of the
// data.
type Variable struct {
	// Name appears in errors; without one the index does.
	Name string
	// Parents are the indices of the variables that it depends on, all discrete.
	Parents []int
	// States is the number of values of a discrete variable, 0 of a vector-valued one.
	States int
	// Values holds a value in [0, States) per row, Hidden where it was not seen. A
	// variable with a Hidden value is hidden; nil means Hidden in every row.
	Values []int
	// Vectors holds the value of a vector-valued variable per row, none of which may be
	// hidden. Its covariance given its parents is taken for the identity, so that data
	// should be whitened (Whiten) or scaled first, and the ridge pulls its means to 0.
	Vectors [][]float64
}

// hidden reports whether any value is.
func (v *Variable) hidden() bool {
	for _, x := range v.Values {
		if x == Hidden {
			return true
		}
	}
	return false
}
