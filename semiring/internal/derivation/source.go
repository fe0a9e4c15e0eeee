package derivation

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Source is a storage of derivations with queries about their distribution.
type Source struct {
	Structure
	Name    string  // the name in errors
	Entries []int32 // the node of every entry
	Kinds   Kinds
	// Empty is wrapped by the error if there is no derivation.
	Empty error
	// Open sums over the derivations and returns a Distribution without its Source. It returns an
	// error for weights that are not masses and for sums that fail.
	Open func() (Distribution, error)
}

// CheckMasses returns an error for the first weight that is not a mass. format describes the
// weight, with its number and its value as arguments. The error wraps semiring.ErrNegative or
// semiring.ErrNotFinite.
func CheckMasses(format string, masses []semiring.ScaledFloat) error {
	for i, w := range masses {
		if err := weights.CheckMass(w); err != nil {
			return nested.Errorf(format+": %w", i, w, err)
		}
	}
	return nil
}

// Distribution returns the distribution over the derivations of s. In addition to the errors of
// Open, the error wraps Empty, or semiring.ErrNotFinite if the total is infinite or NaN.
func (s *Source) Distribution() (*Distribution, error) {
	d, err := s.Open()
	switch {
	case err != nil:
		return nil, err
	case d.Total.IsZero():
		return nil, nested.Errorf("%s: %w", s.Name, s.Empty)
	case !d.Total.IsFinite():
		return nil, fmt.Errorf("%s: %w: the total is %v", s.Name, semiring.ErrNotFinite, d.Total)
	}
	d.Source = s
	return &d, nil
}

// opened returns the distribution of s and the expected numbers of uses.
func (s *Source) opened() (*Distribution, Uses, error) {
	d, err := s.Distribution()
	if err != nil {
		return nil, Uses{}, err
	}
	uses, err := d.Posterior()
	return d, uses, err
}

// Mean returns the expected value of a derivation. The value is the sum of vectors of dim numbers
// in the rows of its entry, its options and its ends. The error wraps semiring.ErrShape if the
// rows do not match the structure, or is as for Distribution.
func (s *Source) Mean(dim int, entry, option, end semiring.Rows) ([]float64, error) {
	v, err := s.values(dim, entry, option, end)
	if err != nil {
		return nil, err
	}
	_, uses, err := s.opened()
	if err != nil {
		return nil, err
	}
	return v.mean(uses.Numbers), nil
}

// Covariance returns mean and covariance matrix of the value of a derivation (see Mean).
func (s *Source) Covariance(dim int, entry, option, end semiring.Rows) ([]float64, *mat.SymDense, error) {
	v, err := s.values(dim, entry, option, end)
	if err != nil {
		return nil, nil, err
	}
	d, uses, err := s.opened()
	if err != nil {
		return nil, nil, err
	}
	return d.covariance(uses, v)
}

// Along returns the expected numbers of uses of parts, and their derivatives along v if masses
// are multiplied by 1 + ε·v: their covariances with the sum of v over the derivation. Nil slices
// of v stand for zeros. Errors are as for Mean.
func (s *Source) Along(v Numbers) (total semiring.ScaledFloat, uses Uses, derivatives Numbers, err error) {
	if v, err = s.Kinds.filled(v); err != nil {
		return total, uses, derivatives, nested.Errorf("%s: %w", s.Name, err)
	}
	d, uses, err := s.opened()
	if err != nil {
		return total, uses, derivatives, err
	}
	derivatives, _ = d.zeros()
	return d.Total, uses, derivatives, newResponse(d, uses).along(v, derivatives)
}

// Comparison is a comparison of two choices between the same options, such as
// choice.CrossEntropy.
type Comparison func(p, q *choice.Choice) float64

// Compare returns the expected sum of a comparison of the choices of p and q in a derivation
// drawn from p. The error wraps semiring.ErrShape if they differ in more than their masses; parts
// is its text for the structure that they must share. Otherwise it is as for Distribution.
func Compare(p, q *Source, local Comparison, parts string) (float64, error) {
	if !slices.Equal(p.Row, q.Row) || !slices.Equal(p.Tail, q.Tail) || !slices.Equal(p.Tails, q.Tails) || !slices.Equal(p.Entries, q.Entries) {
		return 0, fmt.Errorf("%s: %w: two weightings are compared that do not have the same %s", p.Name, semiring.ErrShape, parts)
	}
	dp, err := p.Distribution()
	if err != nil {
		return 0, err
	}
	dq := dp
	if p != q {
		if dq, err = q.Distribution(); err != nil {
			return 0, err
		}
	}
	uses, err := dp.Posterior()
	if err != nil {
		return 0, err
	}
	return compare(dp, dq, uses.Node, local), nil
}
