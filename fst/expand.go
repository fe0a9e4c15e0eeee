package fst

import "fmt"

// DefaultLimit is the number of states and arcs together that Expand allows by
// default. That many arcs take 2 gigabytes if a weight takes 8 bytes, and another
// 2.4 while they are being made.
const DefaultLimit = 100_000_000

// Expand freezes the part of m that its initial states reach, states in the order
// of their discovery, breadth first. The error wraps ErrLimit if there are more
// than limit states and arcs together, or if a composition within m has to keep
// more than limit arcs itself; a limit ≤ 0 stands for DefaultLimit, and no limit
// exceeds 2³¹−1. O(states + arcs) time and memory.
//
// Expand does not trim: see Connect.
func Expand[W any](m Machine[W], limit int) (*FST[W], error) {
	e := expansion[W]{draft: new(draft[W])}
	if err := e.expand(m, limit); err != nil {
		return nil, err
	}
	f, err := e.draft.freeze(m.Semiring())
	if err != nil {
		return nil, err
	}
	f.inSymbols, f.outSymbols = symbolsOf(m)
	return f, nil
}

// expansion fills a draft with the reachable part of a machine. It collects arcs
// in chunks, so that the draft's arrays are made once, in the right size.
type expansion[W any] struct {
	draft  *draft[W]
	seen   keyTable // states of a machine in the order of their discovery
	chunks [][]Arc[W]
	used   int      // chunks before this one are full
	arcs   int      // in the full chunks
	buf    []Arc[W] // chunk number used
}

// chunkArcs is the number of arcs from which on a chunk is full.
const chunkArcs = 1 << 13

func (e *expansion[W]) expand(m Machine[W], limit int) error {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, maxLimit)
	e.seen.reset()
	e.used, e.arcs = -1, 0
	e.nextChunk()
	var complete bool
	if c, ok := m.(*Composition[W]); ok {
		complete = e.composition(c, limit)
	} else {
		complete = e.machine(m, limit)
	}
	if !complete {
		return fmt.Errorf("fst: %w: more than %d states and arcs", ErrLimit, limit)
	}
	e.finish()
	return nil
}

// composition expands c, whose states are numbered as they are discovered, and
// reports whether it stayed within the limit.
func (e *expansion[W]) composition(c *Composition[W], limit int) bool {
	c.setLimit(limit)
	defer c.setLimit(maxLimit)
	e.draft.starts = c.AppendStarts(e.draft.starts)
	for s := 0; s < c.NumStates(); s++ {
		e.state(c.Final(int32(s)))
		e.buf = c.generate(e.buf, int32(s), anyLabel, anyLabel)
		if c.full || e.size() > limit {
			return false
		}
	}
	return true
}

// machine expands any other machine.
func (e *expansion[W]) machine(m Machine[W], limit int) bool {
	starts := m.AppendStarts(e.draft.starts)
	for i := range starts {
		starts[i].State = e.number(starts[i].State)
	}
	e.draft.starts = starts
	for s := 0; s < len(e.seen.keys); s++ {
		state := int32(e.seen.keys[s])
		e.state(m.Final(state))
		n := len(e.buf)
		e.buf = m.AppendArcs(e.buf, state)
		if e.size() > limit {
			return false
		}
		for i := range e.buf[n:] {
			a := &e.buf[n+i]
			a.To = e.number(a.To)
		}
	}
	return true
}

// number returns the number of state s of the machine in the expansion.
func (e *expansion[W]) number(s int32) int32 {
	if n := e.seen.find(uint64(s)); n >= 0 {
		return n
	}
	return e.seen.add(uint64(s))
}

// state begins a state.
func (e *expansion[W]) state(final W) {
	if len(e.buf) >= chunkArcs {
		e.nextChunk()
	}
	d := e.draft
	d.row = append(d.row, int32(e.arcs+len(e.buf)))
	d.final = append(d.final, final)
}

// size returns the number of states and arcs so far.
func (e *expansion[W]) size() int { return len(e.draft.final) + e.arcs + len(e.buf) }

// nextChunk makes buf the next chunk.
func (e *expansion[W]) nextChunk() {
	if e.used >= 0 {
		e.chunks[e.used] = e.buf
		e.arcs += len(e.buf)
	}
	e.used++
	if e.used == len(e.chunks) {
		var chunk []Arc[W] // the first grows with what it holds
		if e.used > 0 {
			chunk = make([]Arc[W], 0, chunkArcs+chunkArcs/8)
		}
		e.chunks = append(e.chunks, chunk)
	}
	e.buf = e.chunks[e.used][:0]
}

// finish copies the arcs to the draft.
func (e *expansion[W]) finish() {
	e.chunks[e.used] = e.buf
	a := &e.draft.arcs
	a.resize(e.arcs + len(e.buf))
	n := 0
	for _, chunk := range e.chunks[:e.used+1] {
		n += a.set(n, chunk)
	}
}
