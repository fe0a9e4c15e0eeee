package merge

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/fst"
)

// candidate is a merge and what it is thought to gain.
type candidate struct {
	class []int32 // of every state
	gain  float64
}

// promising returns the n best merges of two states, best first, if paths stayed what
// they are.
func promising(f *fst.FST[float64], prior *Prior, n int) []candidate {
	m := newMerger(f, prior)
	type pair struct {
		p, q int32
		gain float64
	}
	var best []pair
	for q := range m.states {
		for p := range q {
			x := pair{p, q, m.gain(p, q)}
			if len(best) == n && x.gain <= best[n-1].gain {
				continue
			}
			i, _ := slices.BinarySearchFunc(best, x, func(a, b pair) int { return cmp.Or(cmp.Compare(b.gain, a.gain), -1) })
			best = slices.Insert(best, i, x)
			best = best[:min(n, len(best))]
		}
	}
	var out []candidate
	for _, x := range best {
		out = append(out, candidate{m.classes(x.p, x.q), x.gain})
	}
	return out
}

// merger tries merges.
type merger struct {
	prior  *Prior
	states int32
	arcs   [][]fst.Arc[float64] // of every state
	final  []float64
	alone  []float64 // the value of every state
	// The merge being tried: the class of a state belongs to its leader, and the
	// members of a class are listed at the leader.
	leader  []int32
	members [][]int32
	merged  []int32 // states that have a leader other than themselves, and leaders of others
	buffer  []fst.Arc[float64]
}

func newMerger(f *fst.FST[float64], prior *Prior) *merger {
	m := &merger{prior: prior, states: int32(f.NumStates())}
	for s := range m.states {
		m.arcs = append(m.arcs, f.AppendArcs(nil, s))
		m.final = append(m.final, f.Final(s))
		m.leader = append(m.leader, s)
		m.members = append(m.members, []int32{s})
	}
	for s := range m.states {
		m.alone = append(m.alone, m.value(s))
	}
	return m
}

// gain returns what merging p and q gains.
func (m *merger) gain(p, q int32) float64 {
	m.merge(p, q)
	gain := 0.0
	for _, s := range m.merged {
		gain -= m.alone[s]
		if m.leader[s] == s {
			gain += m.value(s)
		}
	}
	m.undo()
	return gain
}

// classes returns the classes of all states when p and q are merged.
func (m *merger) classes(p, q int32) []int32 {
	m.merge(p, q)
	class := make([]int32, m.states)
	next := int32(0)
	for s := range class {
		if l := m.leader[s]; l == int32(s) {
			class[s] = next
			next++
		} else {
			class[s] = class[l]
		}
	}
	m.undo()
	return class
}

// merge puts p and q in one class. If two arcs with the same labels leave it, one from
// each of the classes it was made of, the states they lead to are merged, and so on: what
// is deterministic stays so. The leader of a class is its least state.
func (m *merger) merge(p, q int32) {
	p, q = m.leader[p], m.leader[q]
	if p == q {
		return
	}
	if p > q {
		p, q = q, p
	}
	type labels struct{ in, out int32 }
	to := map[labels]int32{}
	for _, s := range m.members[p] {
		for _, a := range m.arcs[s] {
			to[labels{a.In, a.Out}] = a.To
		}
	}
	for _, s := range []int32{p, q} {
		if len(m.members[s]) == 1 {
			m.merged = append(m.merged, s)
		}
	}
	theirs := m.members[q]
	for _, s := range theirs {
		m.leader[s] = p
	}
	m.members[p] = append(m.members[p], theirs...)
	for _, s := range theirs {
		for _, a := range m.arcs[s] {
			if t, ok := to[labels{a.In, a.Out}]; ok {
				m.merge(t, a.To)
			}
		}
	}
}

// undo takes all classes apart.
func (m *merger) undo() {
	for _, s := range m.merged {
		m.leader[s] = s
		m.members[s] = m.members[s][:1]
	}
	m.merged = m.merged[:0]
}

// value returns what the class of leader s contributes to the log posterior.
func (m *merger) value(s int32) float64 {
	out, final := m.buffer[:0], 0.0
	for _, t := range m.members[s] {
		final += m.final[t]
		for _, a := range m.arcs[t] {
			a.To = m.leader[a.To]
			out = append(out, a)
		}
	}
	m.buffer = out
	slices.SortFunc(out, byLabel)
	sum, total, parameters := entropy(final), final, 0
	if final > 0 {
		parameters++
	}
	for i := 0; i < len(out); {
		count := 0.0
		a := out[i]
		for ; i < len(out) && byLabel(out[i], a) == 0; i++ {
			count += out[i].Weight
		}
		sum += entropy(count)
		total += count
		parameters++
	}
	return sum - entropy(total) + m.prior.log(1, parameters)
}

func byLabel(a, b fst.Arc[float64]) int {
	return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out), cmp.Compare(a.To, b.To))
}

// entropy returns c·ln c, 0 for 0.
func entropy(c float64) float64 {
	if c == 0 {
		return 0
	}
	return c * math.Log(c)
}
