package channel

import (
	"encoding/binary"
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// DecoderOptions says how a Decoder searches. A nil *DecoderOptions and zero
// fields mean the defaults.
type DecoderOptions struct {
	// Paths is the number of best paths that are taken, at most, to make up
	// the candidates of one query (default 200). More of them find more of
	// each string's probability.
	Paths int
	// Prune leaves out arcs of the stages with a weight below it (default 0).
	// It makes decoding faster and scores lower.
	Prune float64
	// Limit bounds the states and arcs of a query's lattice (default that of
	// fst.Expand).
	Limit int
}

// Decoder answers queries to a model with the parameters that the model had when
// the Decoder was made. It may be used by many goroutines.
type Decoder struct {
	opts   DecoderOptions
	stages []*machine
}

// Candidate is a string and ln of P(x, y), of which x or y is the string and the
// other the query, as far as the best paths have found it.
type Candidate struct {
	Labels  []int32
	LogProb float64
}

// Decoder returns a decoder for the model as it is now.
func (m *Model) Decoder(opts *DecoderOptions) (*Decoder, error) {
	d := &Decoder{}
	if opts != nil {
		d.opts = *opts
	}
	if d.opts.Paths == 0 {
		d.opts.Paths = 200
	}
	if d.opts.Paths < 0 || !(d.opts.Prune >= 0) {
		return nil, fmt.Errorf("channel: bad decoder options %+v", d.opts)
	}
	for i, s := range m.Cascade {
		f, err := em.Instantiate(m.Params, s, m.Theta, semiring.Semiring[semiring.ScaledFloat](semiring.Viterbi{}))
		if err == nil {
			f, err = prune(f, semiring.NewScaled(d.opts.Prune))
		}
		if err != nil {
			return nil, fmt.Errorf("channel: stage %d: %w", i, err)
		}
		d.stages = append(d.stages, f)
	}
	return d, nil
}

// prune returns f without arcs of weight below least, zeros among them.
func prune(f *machine, least semiring.ScaledFloat) (*machine, error) {
	m := fst.NewBuilder(f.Semiring())
	m.SetSymbols(f.InSymbols(), f.OutSymbols())
	m.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		m.AddStart(s.State, s.Weight)
	}
	var arcs []fst.Arc[semiring.ScaledFloat]
	for s := range int32(f.NumStates()) {
		m.SetFinal(s, f.Final(s))
		arcs = f.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			if a.Weight.Mant != 0 && a.Weight.Cmp(least) >= 0 {
				m.AddArc(s, a)
			}
		}
	}
	return m.Freeze()
}

// Outputs returns up to n strings that the source string x most probably
// becomes, best first; none if the model gives x no output at all.
func (d *Decoder) Outputs(x []int32, n int) ([]Candidate, error) {
	f, err := d.query(x), error(nil)
	for _, s := range d.stages {
		if f, err = d.compose(f, s); err != nil {
			return nil, err
		}
	}
	return d.best(f, f.Out(), n)
}

// Sources returns up to n source strings from which the observation y most
// probably came, best first; none if the model gives y no source at all.
func (d *Decoder) Sources(y []int32, n int) ([]Candidate, error) {
	f, err := d.query(y), error(nil)
	for _, s := range slices.Backward(d.stages) {
		if f, err = d.compose(s, f); err != nil {
			return nil, err
		}
	}
	return d.best(f, f.In(), n)
}

type machine = fst.FST[semiring.ScaledFloat]

func (d *Decoder) query(labels []int32) *machine {
	return fst.FromString(semiring.Semiring[semiring.ScaledFloat](semiring.Viterbi{}), labels)
}

// compose returns a ∘ b, trimmed.
func (d *Decoder) compose(a, b *machine) (*machine, error) {
	c, err := fst.Compose[semiring.ScaledFloat](a, b)
	if err != nil {
		return nil, fmt.Errorf("channel: %w", err)
	}
	f, err := fst.Expand[semiring.ScaledFloat](c, d.opts.Limit)
	if err != nil {
		return nil, fmt.Errorf("channel: %w", err)
	}
	return fst.Connect(f), nil
}

// best returns the best strings on one tape of f, whose arcs have these labels.
func (d *Decoder) best(f *machine, tape []int32, n int) ([]Candidate, error) {
	paths, err := graph.BestPaths(f.Graph())
	if err != nil {
		return nil, fmt.Errorf("channel: %w", err)
	}
	type entry struct {
		labels []int32
		sum    semiring.ScaledFloat
	}
	index := map[string]int{}
	var found []entry
	var labels []int32
	var key []byte
	taken := 0
	for p := range paths {
		labels, key = labels[:0], key[:0]
		for _, e := range p.Arcs {
			if l := tape[e]; l != fst.Epsilon {
				labels = append(labels, l)
				key = binary.LittleEndian.AppendUint32(key, uint32(l))
			}
		}
		i, known := index[string(key)]
		if !known {
			i = len(found)
			index[string(key)] = i
			found = append(found, entry{labels: slices.Clone(labels)})
		}
		found[i].sum = found[i].sum.Add(p.Weight)
		if taken++; taken == d.opts.Paths {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b entry) int { return b.sum.Cmp(a.sum) })
	out := make([]Candidate, 0, min(n, len(found)))
	for _, e := range found[:min(n, len(found))] {
		out = append(out, Candidate{e.labels, e.sum.Log()})
	}
	return out, nil
}
