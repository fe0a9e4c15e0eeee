package ngram

import (
	"fmt"
	"iter"
	"math"
)

// Model is an n-gram model, frozen and safe for concurrent use. It takes 16 bytes for
// each n-gram and 16 more for each that is shorter than the order.
type Model struct {
	order      int
	vocabulary int32
	unseen     float64 // log probability of a symbol that is no n-gram by itself

	// n-grams are numbered by length, context and last symbol; 0 is the empty one.
	// Those of length m are level[m] … level[m+1]; those that are context k and a
	// symbol, first[k] … first[k+1]. Those below len(backoff), which are shorter than
	// the order, may be contexts.
	level  []int32
	first  []int32
	symbol []int32 // the last one; begin or End or 1 … V
	logp   []float64
	// backoff[k] is the logarithm of what the probabilities after the shorter context
	// are multiplied by for the symbols that were not seen after k.
	backoff []float64

	back []int32 // the longest context that is a proper suffix of this one
	next []int32 // the longest context that is a suffix of this n-gram
}

// Order returns n.
func (m *Model) Order() int { return m.order }

// Vocabulary returns V: the symbols are 1 … V.
func (m *Model) Vocabulary() int32 { return m.vocabulary }

// NumGrams returns the number of n-grams of a length of 1 to Order.
func (m *Model) NumGrams(length int) int {
	if length < 1 || length+1 >= len(m.level) {
		return 0
	}
	return int(m.level[length+1] - m.level[length])
}

// NumContexts returns the number of contexts that something is known of, the empty one
// included.
func (m *Model) NumContexts() int {
	n := 0
	for k := range m.backoff {
		if m.isContext(int32(k)) {
			n++
		}
	}
	return n
}

// isContext reports whether an n-gram predicts otherwise than its suffix does.
func (m *Model) isContext(k int32) bool {
	return k == 0 || int(k) < len(m.backoff) && (m.first[k] < m.first[k+1] || m.backoff[k] != 0)
}

// Start returns the context at the beginning of a string.
func (m *Model) Start() int32 {
	if len(m.symbol) > 1 && m.symbol[1] == begin && m.isContext(1) {
		return 1
	}
	return 0
}

// Step returns the context after a symbol of 1 … V in a context, and the log
// probability of the symbol there, in nats; with End, that of the end, and no context
// of use. Contexts are numbers that Start and Step gave. The log probability of what is
// no symbol is −Inf. O(n log V), without allocation.
func (m *Model) Step(context, symbol int32) (next int32, logp float64) {
	if uint32(symbol) > uint32(m.vocabulary) {
		return 0, math.Inf(-1)
	}
	for k := context; ; k = m.back[k] {
		if i := m.find(k, symbol); i > 0 {
			return m.next[i], logp + m.logp[i]
		}
		if k == 0 {
			return 0, logp + m.unseen
		}
		logp += m.backoff[k]
	}
}

// find returns the n-gram that is a context and a symbol, 0 if there is none.
func (m *Model) find(context, symbol int32) int32 {
	end := m.first[context+1]
	if i := m.search(m.first[context], end, symbol); i < end && m.symbol[i] == symbol {
		return i
	}
	return 0
}

// context returns the context after all symbols read since the beginning of a string.
func (m *Model) context(history []int32) int32 {
	k := m.Start()
	if n := len(history) - (m.order - 1); n >= 0 {
		k, history = 0, history[n:]
	}
	for _, s := range history {
		k, _ = m.Step(k, s)
	}
	return k
}

// Prob returns p(symbol | history), where history is all that was read since the
// beginning of the string, and symbol is in 1 … V or End. A symbol out of range has
// probability 0; in the history, it hides what is before it. O(n² log V).
func (m *Model) Prob(history []int32, symbol int32) float64 {
	_, logp := m.Step(m.context(history), symbol)
	return math.Exp(logp)
}

// LogProb returns the log probability, in nats, of the string: of its symbols and
// its end. It is −Inf if a symbol is out of range. O(n log V) for each symbol.
func (m *Model) LogProb(symbols []int32) float64 {
	sum, k := 0.0, m.Start()
	for _, s := range symbols {
		if s == End {
			return math.Inf(-1)
		}
		var logp float64
		k, logp = m.Step(k, s)
		sum += logp
	}
	_, logp := m.Step(k, End)
	return sum + logp
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

// Validate asserts that all numbers are probabilities and that Σ_w p(w|h) is within
// tolerance of 1 at every context h. With 0 the tolerance is that of rounding, as holds
// for a trained model; one read from text is as good as its digits. What it accepts can
// be saved. It takes a few steps for each n-gram. The error wraps ErrInvalid and names the
// context.
func (m *Model) Validate(tolerance float64) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("ngram: %w: %w", ErrInvalid, err)
	}
	if tolerance == 0 {
		tolerance = 1e-12
	}
	for i, logp := range m.logp {
		if i > 0 && !(logp <= tolerance) {
			return fmt.Errorf("ngram: %w: n-gram %v has the log probability %g", ErrInvalid, m.symbols(int32(i)), logp)
		}
	}
	for k := range int32(len(m.backoff)) {
		if !m.isContext(k) {
			continue
		}
		sum, shorter, n := 0.0, 0.0, 0
		for i := m.first[k]; i < m.first[k+1]; i++ {
			if w := m.symbol[i]; w != begin {
				n++
				sum += math.Exp(m.logp[i])
				if k > 0 {
					_, logp := m.Step(m.back[k], w)
					shorter += math.Exp(logp)
				}
			}
		}
		if k > 0 {
			sum += math.Exp(m.backoff[k]) * (1 - shorter)
		} else {
			sum += (float64(m.vocabulary) + 1 - float64(n)) * math.Exp(m.unseen)
		}
		if !(math.Abs(sum-1) <= tolerance*(1+float64(n))) {
			return fmt.Errorf("ngram: %w: the probabilities after %v sum to %g", ErrInvalid, m.symbols(k), sum)
		}
	}
	return nil
}
