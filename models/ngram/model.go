package ngram

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// End is the end of a string where a symbol is asked for; the symbols are
// 1 … V. As in package fst, 0 labels no symbol.
const End = 0

// begin is the mark of the beginning of a string as the first symbol of a context.
const begin = 0

var (
	// ErrInvalid is wrapped by errors about arguments and data that make no
	// sense.
	ErrInvalid = errors.New("invalid n-gram model")
	// ErrEmpty is wrapped by the error for data without a string of positive
	// weight.
	ErrEmpty = errors.New("no data")
)

// Model is an n-gram model, frozen and safe for concurrent use. It takes 32 bytes
// for each context and 12 for each different n-gram, shorter ones included.
type Model struct {
	order      int
	vocabulary int32

	// Contexts are numbered so that the shorter one comes first; 0 is the empty
	// one. Context k is first[k] followed by context shorter[k].
	first, shorter []int32
	// share[k] is what context k leaves to the shorter one: T / (C + T).
	share []float64

	// successors[row[k] … row[k+1]] are the symbols that followed context k,
	// ascending, with their probabilities.
	row         []int32
	successors  []int32
	probability []float64

	// extensions[extRow[k] … extRow[k+1]] are the symbols by which context k can
	// be extended to the left, ascending, with the contexts that result.
	extRow     []int32
	extensions []int32
	longer     []int32
}

// Options are the choices in Train. A nil *Options and the zero value of each
// field mean the default.
type Options struct {
	// MinContext leaves out contexts other than the empty one that were seen
	// less often than this: what follows them is predicted by the context that
	// is shorter (default 0: none). It makes the acceptor smaller, and the model
	// sums to 1 all the same.
	MinContext float64
}

// Train returns the model of the given order (n, at least 1) over the symbols
// 1 … vocabulary, trained on strings with weights: how often each was seen. A
// weight of 0 says that it was not. The error wraps ErrInvalid for an order or a
// vocabulary less than 1, a symbol out of range, or a weight or an option that is
// negative, infinite or not a number, and names the string by its position in
// data, from 0; it wraps ErrEmpty if all weights are 0. O(n × symbols) time, and
// memory a few times that of the Model.
func Train(order int, vocabulary int32, data iter.Seq2[[]int32, float64], opts *Options) (*Model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if !(o.MinContext >= 0) || math.IsInf(o.MinContext, 1) {
		return nil, fmt.Errorf("ngram: %w: MinContext %g, want a finite number ≥ 0", ErrInvalid, o.MinContext)
	}
	if order < 1 {
		return nil, fmt.Errorf("ngram: %w: order %d, want ≥ 1", ErrInvalid, order)
	}
	if vocabulary < 1 || vocabulary == math.MaxInt32 {
		return nil, fmt.Errorf("ngram: %w: vocabulary of %d symbols, want 1 to %d", ErrInvalid, vocabulary, math.MaxInt32-1)
	}
	c := newCounter(order)
	i := 0
	for symbols, weight := range data {
		if err := check(symbols, weight, vocabulary); err != nil {
			return nil, fmt.Errorf("ngram: %w: string %d: %v", ErrInvalid, i, err)
		}
		if weight > 0 {
			c.add(symbols, weight)
		}
		if len(c.counts) > math.MaxInt32 {
			return nil, fmt.Errorf("ngram: %w: string %d is one too many: more than %d different n-grams", ErrInvalid, i, math.MaxInt32)
		}
		i++
	}
	if len(c.counts) == 0 {
		return nil, fmt.Errorf("ngram: %w: %d strings, none of positive weight", ErrEmpty, i)
	}
	c.prune(o.MinContext)
	return c.freeze(vocabulary), nil
}

func check(symbols []int32, weight float64, vocabulary int32) error {
	if !(weight >= 0) || math.IsInf(weight, 1) {
		return fmt.Errorf("weight %g, want a finite number ≥ 0", weight)
	}
	for j, s := range symbols {
		if s < 1 || s > vocabulary {
			return fmt.Errorf("symbol %d at position %d, want 1 to %d", s, j, vocabulary)
		}
	}
	return nil
}

// Order returns n.
func (m *Model) Order() int { return m.order }

// Vocabulary returns V: the symbols are 1 … V.
func (m *Model) Vocabulary() int32 { return m.vocabulary }

// NumContexts returns the number of contexts that were seen, the empty one
// included.
func (m *Model) NumContexts() int { return len(m.first) }

// Prob returns p(symbol | history), where history is all that was read since the
// beginning of the string, and symbol is in 1 … V or End. A symbol out of range has
// probability 0. O(n log V).
func (m *Model) Prob(history []int32, symbol int32) float64 {
	if symbol < 0 || symbol > m.vocabulary {
		return 0
	}
	return m.prob(m.context(history), symbol)
}

func (m *Model) prob(context, symbol int32) float64 {
	share := 1.0
	for k := context; ; k = m.shorter[k] {
		if i, ok := slices.BinarySearch(m.successors[m.row[k]:m.row[k+1]], symbol); ok {
			return share * m.probability[int(m.row[k])+i]
		}
		share *= m.share[k]
		if k == 0 {
			return share * m.uniform()
		}
	}
}

func (m *Model) uniform() float64 { return 1 / (float64(m.vocabulary) + 1) }

// LogProb returns the log probability, in nats, of the string: of its symbols and
// its end. It is −Inf if a symbol is out of range. O(n log V) for each symbol.
func (m *Model) LogProb(symbols []int32) float64 {
	sum := 0.0
	for i, s := range symbols {
		if s == End {
			return math.Inf(-1)
		}
		sum += math.Log(m.Prob(symbols[:i], s))
	}
	return sum + math.Log(m.Prob(symbols, End))
}

// Perplexity returns exp of minus the mean log probability of a symbol, ends
// included, in strings with weights. It is NaN if they have no weight at all.
func (m *Model) Perplexity(data iter.Seq2[[]int32, float64]) float64 {
	sum, n := 0.0, 0.0
	for symbols, weight := range data {
		if weight != 0 {
			sum += weight * m.LogProb(symbols)
			n += weight * float64(len(symbols)+1)
		}
	}
	return math.Exp(-sum / n)
}

// Validate asserts that Σ_w p(w|h) = 1, up to rounding, and p(w|h) > 0 at every
// context h that was seen. O(contexts × V × n).
func (m *Model) Validate() error {
	p := make([]float64, m.vocabulary+1)
	for k := range int32(m.NumContexts()) {
		sum := 0.0
		for _, x := range m.distribution(p, k) {
			sum += x
		}
		if !(math.Abs(sum-1) < 1e-12*float64(len(p))) || !(slices.Min(p) > 0) {
			return fmt.Errorf("ngram: %w: the probabilities after %v sum to %g and are at least %g", ErrInvalid, m.symbols(nil, k), sum, slices.Min(p))
		}
	}
	return nil
}

// distribution sets p[w] to p(w|context) for each symbol w and the end.
func (m *Model) distribution(p []float64, context int32) []float64 {
	if context > 0 {
		m.distribution(p, m.shorter[context])
	} else {
		for w := range p {
			p[w] = m.uniform()
		}
	}
	for w := range p {
		p[w] *= m.share[context]
	}
	for i := m.row[context]; i < m.row[context+1]; i++ {
		p[m.successors[i]] = m.probability[i]
	}
	return p
}

// symbols appends the symbols of a context, first to last.
func (m *Model) symbols(dst []int32, context int32) []int32 {
	for ; context > 0; context = m.shorter[context] {
		dst = append(dst, m.first[context])
	}
	return dst
}

// context returns the longest context that was seen and is a suffix of history,
// which begins where a string does.
func (m *Model) context(history []int32) int32 {
	k := int32(0)
	for i := len(history) - 1; i >= 0; i-- {
		next, ok := m.extend(k, history[i])
		if !ok || history[i] == begin {
			return k
		}
		k = next
	}
	if next, ok := m.extend(k, begin); ok {
		k = next
	}
	return k
}

// after returns the longest context that was seen and is a suffix of the symbols of
// a context, its mark included, and w.
func (m *Model) after(symbols []int32, w int32) int32 {
	k, ok := m.extend(0, w)
	for i := len(symbols) - 1; ok && i >= 0; i-- {
		var next int32
		if next, ok = m.extend(k, symbols[i]); ok {
			k = next
		}
	}
	return k
}

// extend returns the context that is symbol s followed by context k, if it was
// seen.
func (m *Model) extend(k, s int32) (int32, bool) {
	lo, hi := m.extRow[k], m.extRow[k+1]
	i, ok := slices.BinarySearch(m.extensions[lo:hi], s)
	if !ok {
		return 0, false
	}
	return m.longer[int(lo)+i], true
}

// pair is a context with a symbol beside it.
type pair struct{ context, symbol int32 }

func comparePairs(a, b pair) int {
	return cmp.Or(cmp.Compare(a.context, b.context), cmp.Compare(a.symbol, b.symbol))
}
