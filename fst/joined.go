package fst

import (
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// Joined is a machine that is put together from others, made as it is asked for. It keeps
// the numbers of the states that it was asked about, no arcs. It belongs to one goroutine,
// and so do its parts unless they are frozen.
type Joined[W any] struct {
	plan   []joint
	parts  []Machine[W]
	states keytable.Table[uint64] // part · 2, state; or part · 2 + 1, 0 for a hub
	buf    []Start[W]

	inSymbols, outSymbols *Symbols
}

func joinLazily[W any](plan []joint, parts []Machine[W]) (*Joined[W], error) {
	in, out, err := alike[W](parts)
	if err != nil {
		return nil, err
	}
	return &Joined[W]{plan: plan, parts: parts, inSymbols: in, outSymbols: out}, nil
}

// joinedOne is joinLazily for one part.
func joinedOne[W any](plan []joint, m Machine[W]) *Joined[W] {
	x := &Joined[W]{plan: plan, parts: []Machine[W]{m}}
	x.inSymbols, x.outSymbols = symbolsOf(m)
	return x
}

// Semiring returns the ring of the weights.
func (x *Joined[W]) Semiring() semiring.Semiring[W] { return x.parts[0].Semiring() }

// InSymbols returns the names of the input labels, nil if they have none.
func (x *Joined[W]) InSymbols() *Symbols { return x.inSymbols }

// OutSymbols returns the names of the output labels, nil if they have none.
func (x *Joined[W]) OutSymbols() *Symbols { return x.outSymbols }

// at returns the number of a part's state, hub that of its hub.
func (x *Joined[W]) at(part int, state int32) int32 { return x.number(2*part, state) }
func (x *Joined[W]) hub(part int) int32             { return x.number(2*part+1, 0) }

func (x *Joined[W]) number(part int, state int32) int32 {
	n, _ := x.states.Number(keytable.Pair(int32(part), state))
	return n
}

// where is the reverse of at and hub.
func (x *Joined[W]) where(s int32) (part int, state int32, isHub bool) {
	half, state := keytable.Unpair(x.states.Keys()[s])
	return int(half / 2), state, half%2 != 0
}

// AppendStarts appends the initial states to dst.
func (x *Joined[W]) AppendStarts(dst []Start[W]) []Start[W] {
	for i := range x.parts {
		if x.plan[i].first {
			dst = x.appendStarts(dst, i)
		}
		if x.plan[i].hubFirst {
			dst = append(dst, Start[W]{State: x.hub(i), Weight: x.Semiring().One()})
		}
	}
	return dst
}

// appendStarts appends the initial states of a part.
func (x *Joined[W]) appendStarts(dst []Start[W], part int) []Start[W] {
	n := len(dst)
	dst = x.parts[part].AppendStarts(dst)
	for i := range dst[n:] {
		dst[n+i].State = x.at(part, dst[n+i].State)
	}
	return dst
}

// Final returns the final weight of state s, Zero if s is not final.
func (x *Joined[W]) Final(s int32) W {
	part, state, isHub := x.where(s)
	switch j := &x.plan[part]; {
	case isHub && j.hubLast:
		return x.Semiring().One()
	case !isHub && j.last:
		return x.parts[part].Final(state)
	}
	return x.Semiring().Zero()
}

// AppendArcs appends the arcs that leave state s to dst.
func (x *Joined[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	part, state, isHub := x.where(s)
	j, ring := &x.plan[part], x.Semiring()
	if isHub {
		if j.next < 0 {
			return dst
		}
		x.buf = x.appendStarts(x.buf[:0], j.next)
		for _, s := range x.buf {
			if !ring.IsZero(s.Weight) {
				dst = append(dst, Arc[W]{To: s.State, Weight: s.Weight})
			}
		}
		return dst
	}
	m, n := x.parts[part], len(dst)
	dst = m.AppendArcs(dst, state)
	for i := range dst[n:] {
		dst[n+i].To = x.at(part, dst[n+i].To)
	}
	if w := m.Final(state); !j.last && !ring.IsZero(w) {
		dst = append(dst, Arc[W]{To: x.hub(part), Weight: w})
	}
	return dst
}
