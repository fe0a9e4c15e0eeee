package cascade

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// ErrNotMarkovian is returned by Markovian.Err for a machine that is not Markovian.
var ErrNotMarkovian = errors.New("machine is not Markovian")

// Markovian reports the deviations of a machine from a probabilistic machine that walks from
// state to state (Eisner 2002, §3). They are choices whose probabilities do not sum to 1, and
// walks into states that lead to no final state.
type Markovian struct {
	// Unbalanced are choices whose weights do not sum to 1, by state and input.
	Unbalanced []Fault
	// Leaks are the losses of mass, by state and input. For a joint machine they are the states
	// that lead to no final state, with the mass that enters them from other states. For a
	// conditional machine they are the inputs without an arc at a state, or EndOfInput at a state
	// that is not final. The mass is then the probability of reading there: 1 minus the
	// probability of an insertion.
	Leaks []Fault
	// Lost is, for a joint machine, 1 minus the path sum: the mass of Leaks if Unbalanced is
	// empty. It is NaN if the path sum diverges, and 0 for a conditional machine.
	Lost float64
}

// Fault is a faulty choice at a state: the arcs with one input, or all arcs and stopping.
type Fault struct {
	State int32 // NoState for the choice of a start
	Input int32 // a label, EndOfInput, or AnyInput in a joint machine
	Mass  float64
}

// Special values in a Fault.
const (
	NoState    int32 = -1
	EndOfInput int32 = -1
	AnyInput   int32 = -2
)

// Err returns nil if Unbalanced and Leaks are empty. Otherwise it returns an error that wraps
// ErrNotMarkovian and names the first fault.
func (m *Markovian) Err() error {
	if len(m.Unbalanced) > 0 {
		c := m.Unbalanced[0]
		return nested.Errorf("cascade: %w: the weights of %s sum to %.9g (the first of %d)", ErrNotMarkovian, c.at("input", nil), c.Mass, len(m.Unbalanced))
	}
	if len(m.Leaks) > 0 {
		c := m.Leaks[0]
		return nested.Errorf("cascade: %w: mass %.3g is lost in %s (the first of %d)", ErrNotMarkovian, c.Mass, c.at("input", nil), len(m.Leaks))
	}
	return nil
}

// at returns the location of f in a machine that reads the side; names, if not nil, are its
// symbols.
func (f Fault) at(side string, names *fst.Symbols) string {
	at := fmt.Sprintf("state %d", f.State)
	if f.State == NoState {
		at = "the start"
	}
	switch f.Input {
	case AnyInput:
		return at
	case EndOfInput:
		return at + " at the end of the " + side
	}
	return fmt.Sprintf("%s with %s %s", at, side, names.Describe(f.Input))
}

// MarkovianJoint examines m as a joint model, in which the arcs and the stop weight of each state
// must sum to 1, and so must the starts. Sums may differ from 1 by tolerance. Only states that
// can be reached with weights other than 0 are examined. The ring must be one of probabilities;
// otherwise the error wraps semiring.ErrCapability.
func MarkovianJoint[W any](m fst.Machine[W], tolerance float64) (*Markovian, error) {
	nonnil.Check("cascade: MarkovianJoint", "machine", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return nil, err
	}
	c, err := newMarkovCheck(f, tolerance)
	if err != nil {
		return nil, err
	}
	c.joint()
	if err := c.leaks(); err != nil {
		return nil, err
	}
	c.report.Lost = math.NaN()
	switch z, err := graph.PathSum(c.g); {
	case err == nil:
		c.report.Lost = 1 - z
	case !errors.Is(err, semiring.ErrDiverges):
		return nil, err
	}
	return &c.report, nil
}

// MarkovianConditional examines m as a conditional model. At each state the arcs with each input
// of the machine must sum to 1, together with the state's insertions if it has any, and so must
// the stop weight by itself. If Unbalanced and Leaks are empty, ⟦m⟧(x, ·) sums to 1 for every x
// over the inputs of m, as long as insertions end. Otherwise it is like MarkovianJoint.
func MarkovianConditional[W any](m fst.Machine[W], tolerance float64) (*Markovian, error) {
	nonnil.Check("cascade: MarkovianConditional", "machine", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return nil, err
	}
	c, err := newMarkovCheck(f, tolerance)
	if err != nil {
		return nil, err
	}
	inputs := alphabet(slices.Clone(f.In()))
	c.conditional(f.In(), func([]int32) []int32 { return inputs })
	return &c.report, nil
}

// alphabet returns the distinct labels, sorted, without ε and with EndOfInput. It sorts labels in
// place.
func alphabet(labels []int32) []int32 {
	slices.Sort(labels)
	labels = slices.Compact(labels)
	return slices.Concat([]int32{EndOfInput}, slices.DeleteFunc(labels, func(l int32) bool { return l == fst.Epsilon }))
}

// markovCheck examines a machine and collects its faults.
type markovCheck struct {
	g             *graph.Graph[float64]
	row           []int32
	weights       []float64
	reached, live []bool // per state: reached from a start; leads to a final state
	tolerance     float64
	report        Markovian
}

func newMarkovCheck[W any](f *fst.FST[W], tolerance float64) (*markovCheck, error) {
	number, err := semiring.Convert(f.Semiring(), semiring.Real{})
	if err != nil {
		return nil, nested.Errorf("cascade: %w", err)
	}
	return markovCheckOf(graph.Map(f.Graph(), semiring.Real{}, number), tolerance), nil
}

func markovCheckOf(g *graph.Graph[float64], tolerance float64) *markovCheck {
	return &markovCheck{g: g, row: g.Row(), weights: g.Weights(), reached: g.Accessible(), live: g.Coaccessible(), tolerance: tolerance}
}

func (c *markovCheck) starts() float64 {
	total := 0.0
	for _, s := range c.g.Starts() {
		total += s.Weight
	}
	return total
}

func (c *markovCheck) balance(s, in int32, total float64) {
	if !(math.Abs(total-1) <= c.tolerance) {
		c.report.Unbalanced = append(c.report.Unbalanced, Fault{s, in, total})
	}
}

// joint finds the states whose arcs and stop weight do not sum to 1.
func (c *markovCheck) joint() {
	c.balance(NoState, AnyInput, c.starts())
	for s, reached := range c.reached {
		lo, hi := c.row[s], c.row[s+1]
		// A state without choices is a leak.
		if total := vector.Sum(c.weights[lo:hi]) + c.g.Finals()[s]; reached && total != 0 {
			c.balance(int32(s), AnyInput, total)
		}
	}
}

// conditional finds the states whose arcs with one input do not sum to 1; in holds the inputs of
// all arcs. alphabet returns the inputs to examine at a state whose own arcs have the given
// inputs.
func (c *markovCheck) conditional(in []int32, alphabet func(own []int32) []int32) {
	c.balance(NoState, AnyInput, c.starts())
	mass := map[int32]float64{}
	for s, reached := range c.reached {
		if !reached {
			continue
		}
		clear(mass)
		lo, hi := c.row[s], c.row[s+1]
		for e := lo; e < hi; e++ {
			mass[in[e]] += c.weights[e]
		}
		mass[EndOfInput] = c.g.Finals()[s]
		insert := mass[fst.Epsilon]
		for _, in := range alphabet(in[lo:hi]) {
			switch m := mass[in]; {
			case m != 0:
				c.balance(int32(s), in, m+insert)
			case insert > 1+c.tolerance:
				c.balance(int32(s), in, insert)
			case insert < 1-c.tolerance:
				c.report.Leaks = append(c.report.Leaks, Fault{int32(s), in, 1 - insert})
			}
		}
	}
}

// leaks finds the mass that walks from states that lead to a final state into states that do not.
func (c *markovCheck) leaks() error {
	starts := slices.Clone(c.g.Starts())
	lost := make([]float64, len(c.live))
	for i, s := range starts {
		if !c.live[s.State] {
			lost[s.State] += s.Weight
			starts[i].Weight = 0
		}
	}
	weights := slices.Clone(c.weights)
	for s, live := range c.live {
		for e := c.row[s]; e < c.row[s+1]; e++ {
			if !live || !c.live[c.g.To()[e]] {
				weights[e] = 0
			}
		}
	}
	live, err := c.g.WithWeights(weights, starts, c.g.Finals())
	if err != nil {
		return err
	}
	visits, err := graph.Forward(live)
	if errors.Is(err, semiring.ErrDiverges) {
		visits = slices.Repeat([]float64{math.NaN()}, len(c.live))
	} else if err != nil {
		return err
	}
	for s, reached := range c.reached {
		for e := c.row[s]; reached && e < c.row[s+1]; e++ {
			if to := c.g.To()[e]; c.live[s] && !c.live[to] && c.weights[e] != 0 {
				lost[to] += visits[s] * c.weights[e]
			}
		}
	}
	for s, m := range lost {
		if m != 0 {
			c.report.Leaks = append(c.report.Leaks, Fault{int32(s), AnyInput, m})
		}
	}
	return nil
}
