package privacy

import (
	"iter"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
)

// Estimate is an estimate of the mean of people's statistics from their records.
type Estimate struct {
	// Mean is unbiased. StdErr is the standard error of each component, estimated from the records;
	// for a mechanism with a single record it is the largest possible one.
	Mean, StdErr []float64
	// Records is the number of records.
	Records int64
}

// Total returns the estimated sum of the statistics over the records: Records times Mean. For a
// family of package moments whose values are the categories of a RandomizedResponse, pass
// family.Mean(e.Total()) to moments.Fit; if its statistics are the statistics of a Domain, pass
// e.Total().
func (e Estimate) Total() []float64 {
	total := make([]float64, len(e.Mean))
	for j, x := range e.Mean {
		total[j] = float64(e.Records) * x
	}
	return total
}

// Mean returns Tally.Estimate of all records. The error comes from the sequence, such as
// Collector.Records, or from Tally, with the index of the record.
func Mean(records iter.Seq2[Record, error]) (Estimate, error) {
	var t Tally
	n := 0
	for r, err := range records {
		if err == nil {
			err = t.Add(r)
		}
		if err != nil {
			return Estimate{}, nested.Errorf("record %d: %w", n, err)
		}
		n++
	}
	return t.Estimate()
}

// All returns the records of a slice for Mean, without errors.
func All(records []Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Tally counts records incrementally, separately for each mechanism, and stores only the counts. So
// its estimate depends neither on the order of the records nor on their division among tallies. The
// zero Tally has no records. It must not be used concurrently.
type Tally struct {
	of   []*counts // in the order of their fingerprints
	last *counts   // the counts for the previous record
}

// counts are the counts of records of equal mechanisms.
type counts struct {
	by    Observer
	n     int64
	cells []int64
}

// Add counts a record, in time proportional to its bits. The error wraps ErrInvalid, and t is
// unchanged, if r was not released by a mechanism, or if it estimates other statistics than
// previous records: other domains, names or numbers of categories. ε and groups may differ.
func (t *Tally) Add(r Record) error {
	if r.by == nil {
		return nested.Errorf("privacy: %w: it was not released by a mechanism", ErrInvalid)
	}
	if t.last == nil || t.last.by != r.by {
		c, err := t.counts(r.by)
		if err != nil {
			return err
		}
		t.last = c
	}
	t.last.n++
	t.last.by.count(&r, t.last.cells)
	return nil
}

// Merge adds the records that another tally has counted. The error is as for Add.
func (t *Tally) Merge(from *Tally) error {
	for _, c := range from.of {
		to, err := t.counts(c.by) // only the first can fail
		if err != nil {
			return err
		}
		to.n += c.n
		for i, x := range c.cells {
			to.cells[i] += x
		}
	}
	return nil
}

// counts returns the counts for mechanisms equal to by.
func (t *Tally) counts(by Observer) (*counts, error) {
	fingerprint := by.Fingerprint()
	i, found := slices.BinarySearchFunc(t.of, fingerprint, func(c *counts, f Fingerprint) int {
		g := c.by.Fingerprint()
		return slices.Compare(g[:], f[:])
	})
	if found {
		return t.of[i], nil
	}
	if len(t.of) > 0 && t.of[0].by.statistics() != by.statistics() {
		first := t.of[0].by
		return nil, nested.Errorf("privacy: %w: mechanism %v estimates %d statistics of another name or domain than mechanism %v, which estimates %d",
			ErrInvalid, fingerprint, by.Dim(), first.Fingerprint(), first.Dim())
	}
	c := &counts{by: by, cells: make([]int64, by.cells())}
	t.of = slices.Insert(t.of, i, c)
	return c, nil
}

// Estimate returns the estimated mean. For several mechanisms it is the mean of their means,
// weighted by their precisions for each statistic: the number of records divided by the largest
// possible variance of an observation. The weights do not depend on the outcomes, so the estimate
// remains unbiased. The error wraps ErrInvalid if there are no records.
func (t *Tally) Estimate() (Estimate, error) {
	if len(t.of) == 0 {
		return Estimate{}, nested.Errorf("privacy: %w: no record to take the mean of", ErrInvalid)
	}
	dim := t.of[0].by.Dim()
	e := Estimate{Mean: make([]float64, dim), StdErr: make([]float64, dim)}
	parts := make([]Estimate, len(t.of))
	for i, c := range t.of {
		parts[i] = c.estimate()
		e.Records += c.n
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	share, deviation := make([]float64, len(parts)), make([]float64, len(parts))
	for j := range dim {
		for i, c := range t.of {
			deviation[i] = c.by.deviation(j)
		}
		least, sum := slices.Min(deviation), 0.0
		for i, c := range t.of {
			x := least / deviation[i]
			share[i] = float64(c.n) * x * x
			sum += share[i]
		}
		for i, p := range parts {
			s := share[i] / sum
			e.Mean[j] += s * p.Mean[j]
			e.StdErr[j] = math.Hypot(e.StdErr[j], s*p.StdErr[j])
		}
	}
	return e, nil
}

// estimate returns the estimate from the records of one mechanism.
func (c *counts) estimate() Estimate {
	dim := c.by.Dim()
	n := float64(c.n)
	// Observations are divided by a power of two above all of them, so that sums and squares
	// neither overflow nor underflow; the division is exact.
	exponent, largest := make([]int, dim), make([]float64, dim)
	c.by.values(c.cells, func(j int, x float64, _ int64) { largest[j] = max(largest[j], math.Abs(x)) })
	for j, x := range largest {
		_, exponent[j] = math.Frexp(x)
	}
	e := Estimate{Mean: make([]float64, dim), StdErr: make([]float64, dim), Records: c.n}
	c.by.values(c.cells, func(j int, x float64, times int64) {
		e.Mean[j] += float64(times) * math.Ldexp(x, -exponent[j])
	})
	for j := range e.Mean {
		e.Mean[j] /= n
	}
	// Squares about the mean, of components that may not be 0 and of the others.
	zeros := slices.Repeat([]int64{c.n}, dim)
	c.by.values(c.cells, func(j int, x float64, times int64) {
		d := math.Ldexp(x, -exponent[j]) - e.Mean[j]
		e.StdErr[j] += float64(times) * d * d
		zeros[j] -= times
	})
	for j, m := range e.Mean {
		e.Mean[j] = math.Ldexp(m, exponent[j])
		if c.n == 1 {
			e.StdErr[j] = c.by.deviation(j)
			continue
		}
		e.StdErr[j] = math.Ldexp(math.Sqrt((e.StdErr[j]+float64(zeros[j])*m*m)/n/(n-1)), exponent[j])
	}
	return e
}
