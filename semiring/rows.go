package semiring

// Rows are sparse vectors of numbers: vector n has Value[k] added to component
// Index[k] for k = Row[n], …, Row[n+1]−1. They say what the parts of a graph or a
// forest are worth. The zero value stands for zero vectors, as many as needed.
type Rows struct {
	Row   []int32
	Index []int32
	Value []float64
}

// Append adds a vector whose component index[k] is value[k]. It panics if there
// are not as many indices as values.
func (r *Rows) Append(index []int32, value []float64) {
	if len(index) != len(value) {
		panic("semiring: Rows.Append with as many indices as values only")
	}
	if r.Row == nil {
		r.Row = append(r.Row, 0)
	}
	r.Index = append(r.Index, index...)
	r.Value = append(r.Value, value...)
	r.Row = append(r.Row, int32(len(r.Index)))
}

// Scalars returns vectors of one component; it keeps x.
func Scalars(x []float64) Rows {
	r := Rows{Row: make([]int32, len(x)+1), Index: make([]int32, len(x)), Value: x}
	for n := range r.Row {
		r.Row[n] = int32(n)
	}
	return r
}
