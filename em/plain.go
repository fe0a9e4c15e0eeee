package em

import "context"

// EM is expectation maximization as such: an E step over all data, then an M step
// (Dempster, Laird and Rubin 1977). The objective never falls. With a law whose
// Maximize only improves it is generalized EM, and still never falls.
type EM struct{}

// String returns "EM".
func (EM) String() string { return "EM" }

func (m EM) complete(*Options) (Method, error)     { return m, nil }
func (EM) pass(int) int                            { return 1 }
func (EM) ascend(*trainer, *start) (ascent, error) { return new(plain), nil }

// plain is EM at work.
type plain struct {
	query Query
	found *Expectations
}

func (*plain) state() any { return nil }

func (*plain) ask(t *trainer, s *start) []Query { return []Query{t.query(s.Theta)} }

func (a *plain) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	return a.at(t, t.query(s.Theta), found[0]), nil
}

// at notes what the E step q found, for the M step, and returns where it has come to.
func (a *plain) at(t *trainer, q Query, found *Expectations) point {
	a.query, a.found = q, found
	return t.point(q, found)
}

func (a *plain) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	var err error
	s.Theta, err = t.maximize(ctx, s, a.query, a.found)
	return false, err
}
