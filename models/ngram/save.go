package ngram

import (
	"fmt"
	"io"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
)

// ErrFormat is wrapped by errors about a text or data that is not a model.
var ErrFormat = nested.ErrFormat

// saveFormat is the format of the file, which holds a savedModel.
const saveFormat saved.Format = "pathsum ngram model 2"

// savedModel contains the fields from which Load restores a Model.
type savedModel struct {
	Order         int
	Vocabulary    int32
	Unseen        float64
	Level, First  []int32
	Symbol        []int32
	Logp, Backoff []float64
}

// Save writes the model in a form from which Load restores every number exactly. If Load would
// reject the model, Save writes no data and the error wraps ErrInvalid.
func (m *Model) Save(w io.Writer) error {
	if err := m.check(); err != nil {
		return nested.Errorf("ngram: save: %w: %w", ErrInvalid, err)
	}
	s := savedModel{m.order, m.vocabulary, m.unseen, m.level, m.first, m.symbol, m.logp, m.backoff}
	if err := saveFormat.Write(w, s); err != nil {
		return nested.Errorf("ngram: save: %w", err)
	}
	return nil
}

// Load reads a model that Save has written. From an io.ByteReader, such as a *bufio.Reader, it
// reads no byte after the model. The error wraps ErrFormat, or comes from r. If the error is nil,
// the model can be used; Validate checks that its numbers sum to 1.
func Load(r io.Reader) (*Model, error) {
	var s savedModel
	if err := saveFormat.Read(r, &s); err != nil {
		return nil, nested.Errorf("ngram: %w: %w", ErrFormat, err)
	}
	m := &Model{
		order: s.Order, vocabulary: s.Vocabulary, unseen: s.Unseen, level: s.Level, first: s.First,
		symbol: s.Symbol, logp: s.Logp, backoff: s.Backoff,
	}
	if err := m.check(); err != nil {
		return nil, nested.Errorf("ngram: %w: %w", ErrFormat, err)
	}
	m.link()
	return m, nil
}

// check checks the invariants that the methods rely on.
func (m *Model) check() error {
	switch n := len(m.symbol); {
	case m.order < 1 || m.vocabulary < 1 || m.vocabulary == math.MaxInt32:
		return fmt.Errorf("order %d, %d symbols", m.order, m.vocabulary)
	case len(m.level) < 3 || len(m.level)-2 > m.order || m.level[0] != 0 || m.level[1] != 1 || n > math.MaxInt32 || m.level[len(m.level)-1] != int32(n):
		return fmt.Errorf("%d n-grams with lengths up to %d", n, len(m.level)-2)
	case len(m.logp) != n:
		return fmt.Errorf("%d probabilities of %d n-grams", len(m.logp), n)
	}
	for length := 1; length+1 < len(m.level); length++ {
		if m.level[length] > m.level[length+1] {
			return fmt.Errorf("%d n-grams of length %d", m.NumGrams(length), length)
		}
	}
	contexts := numContexts(m.order, m.level)
	if len(m.backoff) != int(contexts) || len(m.first) != int(contexts)+1 || m.first[0] != 1 || int(m.first[contexts]) != len(m.symbol) {
		return fmt.Errorf("%d back-off weights of %d contexts", len(m.backoff), contexts)
	}
	for length := 0; length+1 < len(m.level); length++ {
		for k := m.level[length]; k < min(contexts, m.level[length+1]); k++ {
			if err := m.checkContext(k, length); err != nil {
				return err
			}
		}
	}
	return m.checkNumbers()
}

// checkContext checks that the successors of context k are among the n-grams that are one symbol
// longer, in ascending order.
func (m *Model) checkContext(k int32, length int) error {
	lo, hi, limit := m.first[k], m.first[k+1], m.level[min(length+2, len(m.level)-1)]
	if lo > hi || hi > limit || k+1 == m.level[length+1] && hi != limit {
		return fmt.Errorf("context %d has the successors from %d to %d", k, lo, hi)
	}
	least := int32(End)
	if k == 0 {
		least = begin // a text may list it even if it is not a context
	}
	for i := lo; i < hi; i++ {
		if m.symbol[i] < least || m.symbol[i] > m.vocabulary || length > 0 && m.symbol[k] == End {
			return fmt.Errorf("symbol %d after context %d", m.symbol[i], k)
		}
		least = m.symbol[i] + 1
	}
	return nil
}

// mostLogp is the greatest logarithm of a probability: 0, up to the rounding of a text's digits.
const mostLogp = 1e-6

// checkNumbers checks that there are no NaN, no probabilities above 1 and no infinite back-off
// weights. Back-off weights may be above 1.
func (m *Model) checkNumbers() error {
	check := func(what string, most float64, logs ...float64) error {
		for i, x := range logs {
			if !(x <= most) {
				return fmt.Errorf("the logarithm %g of %s %d, want at most %g", x, what, i, most)
			}
		}
		return nil
	}
	if err := check("the probability of an unseen symbol, number", mostLogp, m.unseen); err != nil {
		return err
	}
	if err := check("probability", mostLogp, m.logp...); err != nil {
		return err
	}
	return check("back-off weight", math.MaxFloat64, m.backoff...)
}
