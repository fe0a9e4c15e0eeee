package graph

// ErrorBound returns a bound on the relative error that cancellation in cycles has
// brought into the PathSum of g. It holds for Forward, Backward and Posteriors, too, at
// states on paths from a start to a final state. These functions fail with
// semiring.ErrInaccurate where it exceeds 1e-9. ErrorBound returns it all the same; its
// errors and its cost are otherwise those of PathSum.
//
// It is 0 for acyclic graphs, and where nothing cancels: in components of non-negative
// weights in Real and Scaled that do not gain mass, however little they lose. Components
// that bring in less than 1e-13 are not counted. Nor is the rounding of a sum of
// non-negative terms: at most 2⁻⁵³ for each arc of a path and each term added to it. In
// Log the rounding of weights to numbers does count, as often as cycles repeat it. In
// rings without semiring.Prober nothing is known of errors, and 0 is returned.
func ErrorBound[W any](g *Graph[W]) (float64, error) {
	s, err := newSolver(g, g.useful)
	if err != nil {
		return 0, err
	}
	if s.cyclic != nil {
		s.cyclic.Tolerate()
	}
	if _, err := s.backward(); err != nil || s.cyclic == nil {
		return 0, err
	}
	return s.cyclic.ErrorBound(), nil
}
