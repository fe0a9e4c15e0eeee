package linegrammar

import (
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// texts gives each string of labels a single label, after the labels of bytes. A string of one
// label keeps it, and the empty string is ε.
type texts struct {
	labels map[string]int32
	all    []string
}

// firstText is the label of the first string.
const firstText = raw + 256

func (t *texts) label(out []int32) int32 {
	switch len(out) {
	case 0:
		return fst.Epsilon
	case 1:
		return out[0]
	}
	text := Decode(out)
	l, ok := t.labels[text]
	if !ok {
		l = firstText + int32(len(t.all))
		t.labels[text] = l
		t.all = append(t.all, text)
	}
	return l
}

// decode returns the text of labels, including labels of strings.
func (t *texts) decode(labels []int32) string {
	var b []byte
	for from := 0; from < len(labels); {
		to := from
		for to < len(labels) && labels[to] < firstText {
			to++
		}
		b = append(b, Decode(labels[from:to])...)
		if to < len(labels) {
			b = append(b, t.all[labels[to]-firstText]...)
			to++
		}
		from = to
	}
	return string(b)
}

// contract returns f with a single arc for each chain of an arc and successors that read ε and
// are the only continuation, so that words written letter by letter are written at once. This
// reduces the lattice of a line, and the time for it, to a fraction. Weights are rounded to the
// 32 bits of OpenFst's format.
func contract(f *fst.FST[semiring.Cost], t *texts) (*fst.FST[semiring.Cost], error) {
	ring, g := f.Semiring(), f.Graph()
	rounded := func(c semiring.Cost) semiring.Cost { return semiring.Cost(float32(c)) }
	in, out, row, to, weight := f.In(), f.Out(), g.Row(), g.To(), g.Weights()
	forced := func(s int32) bool {
		return row[s+1]-row[s] == 1 && in[row[s]] == fst.Epsilon && ring.IsZero(f.Final(s)) && to[row[s]] != s
	}
	b := fst.NewBuilder(ring)
	b.AddStates(f.NumStates())
	for _, s := range g.Starts() {
		b.AddStart(s.State, rounded(s.Weight))
	}
	var written []int32
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, rounded(f.Final(s)))
		for e := row[s]; e < row[s+1]; e++ {
			written = written[:0]
			w, at := weight[e], to[e]
			if out[e] != fst.Epsilon {
				written = append(written, out[e])
			}
			// A cycle of such arcs does not reach a final state, so a connected machine does
			// not have one.
			for forced(at) {
				if l := out[row[at]]; l != fst.Epsilon {
					written = append(written, l)
				}
				w, at = ring.Times(w, weight[row[at]]), to[row[at]]
			}
			b.AddArc(s, fst.Arc[semiring.Cost]{In: in[e], Out: t.label(slices.Clip(written)), Weight: rounded(w), To: at})
		}
	}
	c, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	if c, err = fst.Connect(c, nil); err != nil {
		return nil, err
	}
	return fst.ArcSortIn(c, nil)
}
