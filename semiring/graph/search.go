package graph

import (
	"context"
	"fmt"
	"iter"
)

// SearchOptions are the options of Search; nil stands for the zero value.
type SearchOptions[W any] struct {
	// Heuristic estimates the weight of the best way on from state s, its final
	// weight included (A*); nil stands for One, which is no information (Dijkstra).
	// It is called once per state that is met. Zero says that no path goes on from s.
	//
	// It is admissible if no way on is better than the estimate; then the paths are
	// exact. If besides h(p) is no worse than w ⊗ h(q) for every arc (p, w, q), it is
	// consistent, and no state is expanded twice before the first path; without that,
	// states are expanded again as often as a better way to them turns up. An
	// estimate that is too pessimistic costs exactness, not termination.
	Heuristic func(s int32) W
	// MaxStates is the limit on the number of expansions; 0 stands for
	// DefaultMaxStates.
	MaxStates int
}

// Search returns an iterator over the paths of m, best first, each once. It makes
// only that part of m that it needs: before the first path it expands no state to which
// the best way, completed by the heuristic, is worse than that path. The number of
// paths may be infinite, and so may m. Start entries of one state count as one.
//
// Of equally good states the search takes the one of the best estimate, and then the
// one met last; if infinitely many are as good as the path, it may not come to its end.
//
// The ring must be semiring.Ordered, and no arc or final weight on the way better
// than One (no cost negative), or the error wraps ErrCapability or ErrOrder. An arc
// that has not been met yet is not looked at: were it better than One, paths before
// may have come out of order. The error wraps semiring.ErrLimit once MaxStates
// expansions have not been enough, that of ctx once that is done, and
// semiring.ErrNotFinite if the best weight is not a number, and it is that of m if m
// fails. An error is the last element of the sequence.
//
// The first path is found by A* (Hart, Nilsson and Raphael 1968) with one label per
// state met: O(a log n) time for a arcs and n states. For further paths the part
// of m that has been expanded is frozen, and BestPaths enumerates it (Eppstein 1998)
// as far as its paths are no worse than all that go on outside; then the search
// goes on and the part grows by a quarter at least, so that all in all it is frozen
// O(log n) times. Arcs are not kept but asked for again. The order is that of weights
// multiplied in another order than Found.Weight, as in BestPaths.
//
// Every range over the iterator starts anew.
func Search[W any](ctx context.Context, m Implicit[W], opts *SearchOptions[W]) iter.Seq2[Found[W], error] {
	return func(yield func(Found[W], error) bool) {
		s, err := newSearch(ctx, m, opts)
		if err == nil {
			defer s.repay()
			err = s.paths(func(p Found[W]) bool { return yield(p, nil) })
		}
		if err != nil {
			yield(Found[W]{}, fmt.Errorf("graph: search: %w", err))
		}
	}
}
