package em

import (
	"cmp"
	"math"
	"slices"
)

// Prune drops bad starts early, by successive halving (Jamieson and Talwalkar
// 2016): all starts make After iterations, and the fraction Keep of them, those
// with the best objectives, goes on; then until each has made After/Keep, and so on.
// The last one is trained to its end. The zero value drops none.
type Prune struct {
	// After is the number of iterations in the first round; 0 means that no
	// start is dropped.
	After int
	// Keep is the fraction, in (0, 1), that goes on (default ½), rounded up, but
	// at least one start is dropped.
	Keep float64
}

// limit returns how many iterations the starts left may make in the present round.
func (t *trainer) limit(r *run) int {
	p := t.opts.Prune
	if p.After == 0 || r.left() == 1 {
		return t.opts.Iterations
	}
	limit := math.Ceil(float64(p.After) / math.Pow(p.Keep, float64(r.Round)))
	return int(min(limit, float64(t.opts.Iterations)))
}

// left returns the number of starts that have not lost.
func (r *run) left() int {
	n := 0
	for _, s := range r.Starts {
		if !s.Status.lost() {
			n++
		}
	}
	return n
}

// prune ends a round.
func (r *run) prune(keep float64) {
	var rank []*start
	for _, s := range r.Starts {
		if !s.Status.lost() {
			rank = append(rank, s)
		}
	}
	slices.SortStableFunc(rank, func(a, b *start) int { return cmp.Compare(b.last(), a.last()) })
	kept := int(math.Ceil(keep * float64(len(rank))))
	for _, s := range rank[min(kept, len(rank)-1):] {
		s.end(Pruned)
		s.forget()
	}
	r.Round++
}
