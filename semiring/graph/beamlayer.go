package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// layer holds states that have been met: their forward weights, and how they are
// entered.
type layer[W any] struct {
	met    numbering
	alpha  []W
	arcs   []partArc[W] // to: number in met
	starts []Start[W]   // State: number in met

	score []float64
	kept  []int32 // numbers in met
	place []int32 // per number: state of the part; −1: dropped
}

// at returns the pending layer of the given number.
func (b *beam[W]) at(number int) *layer[W] {
	l := b.pending[number]
	if l != nil {
		return l
	}
	if n := len(b.free); n > 0 {
		l, b.free = b.free[n-1], b.free[:n-1]
		l.met.reset()
		l.alpha, l.arcs, l.starts = l.alpha[:0], l.arcs[:0], l.starts[:0]
	} else {
		l = new(layer[W])
	}
	b.pending[number] = l
	i, _ := slices.BinarySearchFunc(b.order, number, func(x, y int) int { return cmp.Compare(y, x) })
	b.order = slices.Insert(b.order, i, number)
	return l
}

// enter adds weight to the forward weight of a state and returns its number.
func (b *beam[W]) enter(l *layer[W], state int32, weight W) int32 {
	n, fresh := l.met.of(state)
	if fresh {
		l.alpha = append(l.alpha, weight)
	} else {
		l.alpha[n] = b.ring.Plus(l.alpha[n], weight)
	}
	return n
}

// prune chooses the states to keep and makes them states of the part.
func (b *beam[W]) prune(l *layer[W]) error {
	l.score, l.kept = rows.Resized(l.score, len(l.alpha)), l.kept[:0]
	for n, alpha := range l.alpha {
		if b.Heuristic != nil {
			alpha = b.ring.Times(alpha, b.Heuristic(l.met.state(int32(n))))
		}
		score := b.prober.Log(alpha)
		if score != score || math.IsInf(score, 1) {
			return fmt.Errorf("%w: state %d scores %v", semiring.ErrNotFinite, l.met.state(int32(n)), score)
		}
		l.score[n] = score
		b.best = max(b.best, score)
	}
	for n, score := range l.score {
		if !math.IsInf(score, -1) && (b.Spread <= 0 || score >= b.best-b.Spread) {
			l.kept = append(l.kept, int32(n))
		}
	}
	if b.Width > 0 && len(l.kept) > b.Width {
		selectBest(l.kept, l.score, b.Width)
		l.kept = l.kept[:b.Width]
		slices.Sort(l.kept)
	}
	if len(b.part.State)+len(l.kept) > b.MaxStates {
		return fmt.Errorf("%w: more than %d states are kept", semiring.ErrLimit, b.MaxStates)
	}
	b.part.Dropped += len(l.alpha) - len(l.kept)
	l.place = rows.Resized(l.place, len(l.alpha))
	for n := range l.place {
		l.place[n] = -1
	}
	for _, n := range l.kept {
		l.place[n] = int32(len(b.part.State))
		b.part.State = append(b.part.State, l.met.state(n))
		b.final = append(b.final, b.m.Final(l.met.state(n)))
	}
	for _, a := range l.arcs {
		if a.To = l.place[a.To]; a.To >= 0 {
			b.arcs = append(b.arcs, a)
		}
	}
	for _, start := range l.starts {
		if start.State = l.place[start.State]; start.State >= 0 {
			b.starts = append(b.starts, start)
		}
	}
	return nil
}
