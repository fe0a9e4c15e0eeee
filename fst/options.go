package fst

// Options are those of the operations that tell weights apart or may outgrow their
// input; nil stands for the zero value.
type Options struct {
	// Delta is how close weights count as equal, in the sense of semiring.Keyer;
	// 0 stands for DefaultDelta, which is for what rounding makes of equal weights.
	Delta float64
	// Limit bounds the work and memory of an operation, in the units of its doc
	// comment; 0 stands for DefaultWork.
	Limit int
}

const (
	// DefaultDelta is the Delta of Options by default.
	DefaultDelta = 1e-9
	// DefaultWork is the Limit of Options by default: determinization takes about a
	// gigabyte until then.
	DefaultWork = 20_000_000
)

// resolved returns what o stands for.
func (o *Options) resolved() Options {
	r := Options{Delta: DefaultDelta, Limit: DefaultWork}
	if o != nil && o.Delta > 0 {
		r.Delta = o.Delta
	}
	if o != nil && o.Limit > 0 {
		r.Limit = min(o.Limit, maxLimit)
	}
	return r
}
