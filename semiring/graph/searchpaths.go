package graph

import (
	"encoding/binary"

	"example.org/pathsum/internal/nested"
)

// paths yields the best path and then all others.
//
// What has been expanded is frozen. The best key in the queue is a bound on all paths
// that leave it, so its paths are known to be next as long as they are no worse. A part
// made later repeats the paths of the one before, perhaps in another order where rounding
// makes a difference, so that paths are told apart by their arcs.
func (s *search[W]) paths(yield func(Found[W]) bool) error {
	p, ok, err := s.first()
	if err == nil {
		err = failure(s.m)
	}
	if err != nil || !ok {
		return err
	}
	seen := map[string]struct{}{s.identity(): {}}
	if !yield(p) {
		return nil
	}
	for {
		part, err := s.part()
		if err == nil {
			err = failure(s.m)
		}
		if err != nil {
			return err
		}
		all, err := BestPaths(part.Graph)
		if err != nil {
			return nested.Errorf("the part of %d states that has been expanded: %w", len(part.State), err)
		}
		var next *W // the weight of the first path that may not be next
		for path := range all {
			if !s.settles(path.Weight) {
				next = &path.Weight
				break
			}
			id := part.identity(path)
			if _, ok := seen[id]; ok {
				continue
			}
			seen[id] = struct{}{}
			if !yield(part.Path(path)) {
				return nil
			}
		}
		if s.queue.Empty() {
			return nil
		}
		if err := s.grow(next); err != nil {
			return err
		}
	}
}

// settles reports whether no path through a state that is not expanded is better
// than weight.
func (s *search[W]) settles(weight W) bool {
	return s.queue.Empty() || s.order.Compare(weight, s.queue.Top().Key) <= 0
}

// grow expands a quarter more states, and as many as it takes to settle a path of
// weight next, unless that is nil.
func (s *search[W]) grow(next *W) error {
	enough := len(s.expanded) + len(s.expanded)/4 + 16
	for !s.queue.Empty() {
		if s.queue.Top().Item == goal { // it was reached before
			s.queue.Pop()
			continue
		}
		settled := next == nil || s.settles(*next)
		if settled && len(s.expanded) >= enough {
			break
		}
		if settled && next != nil && len(s.expanded) >= s.maxStates {
			break
		}
		if err := s.expand(); err != nil {
			return err
		}
	}
	return nil
}

// expandedPart is the part of a graph that a search has expanded.
type expandedPart[W any] struct {
	Expansion[W]
	index []int32 // per arc, which of the arcs of its state it is
}

// part freezes the states expanded so far and the arcs between them.
func (s *search[W]) part() (*expandedPart[W], error) {
	p := new(expandedPart[W])
	place := make([]int32, s.met.Len()+1) // per number: state of the part + 1
	for _, n := range s.expanded {
		if place[n] == 0 { // else it was expanded again
			p.State = append(p.State, s.state(n))
			place[n] = int32(len(p.State))
		}
	}
	row, to := make([]int32, 1, len(p.State)+1), []int32{}
	final, weight := make([]W, len(p.State)), []W{}
	for i, state := range p.State {
		final[i] = s.m.Final(state)
		s.arcs = s.m.AppendArcs(s.arcs[:0], state)
		for j, a := range s.arcs {
			if s.ring.IsZero(a.Weight) {
				continue
			}
			if q := place[s.number(a.To)]; q > 0 {
				to, weight = append(to, q-1), append(weight, a.Weight)
				p.In, p.Out = append(p.In, a.In), append(p.Out, a.Out)
				p.index = append(p.index, int32(j))
			}
		}
		row = append(row, int32(len(to)))
	}
	var starts []Start[W]
	for _, start := range s.m.AppendStarts(nil) {
		if s.ring.IsZero(start.Weight) {
			continue
		}
		if q := place[s.number(start.State)]; q > 0 {
			starts = append(starts, Start[W]{q - 1, start.Weight})
		}
	}
	var err error
	p.Graph, err = New(s.ring, row, to, weight, starts, final)
	return p, err
}

// identity tells a path from others: its first state, and which arc it takes from each.
func (p *expandedPart[W]) identity(path Path[W]) string {
	b := appendNumber(make([]byte, 0, 4*len(path.Arcs)+4), p.State[path.Start])
	for _, e := range path.Arcs {
		b = appendNumber(b, p.index[e])
	}
	return string(b)
}

// identity tells the path of trace from others.
func (s *search[W]) identity() string {
	var taken []int32 // from the last
	n := s.labels[goal].by.from
	for ; s.labels[n].by.from != source; n = s.labels[n].by.from {
		taken = append(taken, s.labels[n].by.arc)
	}
	b := appendNumber(nil, s.state(n))
	for i := len(taken) - 1; i >= 0; i-- {
		b = appendNumber(b, taken[i])
	}
	return string(b)
}

func appendNumber(b []byte, x int32) []byte { return binary.BigEndian.AppendUint32(b, uint32(x)) }
