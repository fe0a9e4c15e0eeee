package bayes

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// Data contains the rows to train on.
type Data struct {
	Rows []Row
	// Weights are the numbers of observations of the rows, finite and ≥ 0 (nil: all 1). Rows of
	// weight 0 do not affect training.
	Weights []float64
	// Underivable selects the treatment of rows of probability 0 (default em.Fail).
	Underivable em.Policy
	// CacheBytes is as in cascade.Derivations.
	CacheBytes int64
}

func (d *Data) weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// Hide returns copies of the rows in which the variables are missing.
func Hide(rows []Row, variables ...int) []Row {
	hidden := make([]Row, len(rows))
	for i, r := range rows {
		h := append(Row(nil), r...)
		for _, v := range variables {
			h[v] = math.NaN()
		}
		hidden[i] = h
	}
	return hidden
}

// merged contains the distinct rows of data, in the order of their first appearance.
type merged struct {
	rows   []Row
	weight []float64
	first  []int // the index of its first occurrence
	times  []int // its number of occurrences
}

// merge checks data, each row by check, and merges equal rows.
func merge(data Data, check func(Row) error) (*merged, error) {
	if data.Weights != nil && len(data.Weights) != len(data.Rows) {
		return nil, nested.Errorf("bayes: %w: %d weights for %d rows", em.ErrInvalid, len(data.Weights), len(data.Rows))
	}
	row := func(i int) em.Skipped { return em.Skipped{Index: i, Weight: data.weight(i)} }
	if err := em.CheckWeights(len(data.Rows), row); err != nil {
		return nil, nested.Errorf("bayes: rows: %w", err)
	}
	m := &merged{}
	number := make(map[string]int)
	var key []byte
	for i, r := range data.Rows {
		if err := check(r); err != nil {
			return nil, nested.Errorf("bayes: row %d: %w", i, err)
		}
		w := data.weight(i)
		if w == 0 {
			continue
		}
		key = r.appendKey(key[:0])
		j, ok := number[string(key)]
		if !ok {
			j = len(m.rows)
			number[string(key)] = j
			m.rows, m.weight = append(m.rows, r), append(m.weight, 0)
			m.first, m.times = append(m.first, i), append(m.times, 0)
		}
		m.weight[j] += w
		m.times[j]++
	}
	return m, nil
}

// name returns a description of the data rows that merged row j represents.
func (m *merged) name(j int) string {
	if m.times[j] == 1 {
		return fmt.Sprintf("row %d", m.first[j])
	}
	return fmt.Sprintf("row %d and %d equal ones", m.first[j], m.times[j]-1)
}
