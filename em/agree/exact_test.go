package agree_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// seenAs is the form in which the cascades of a chain's submodels observe their symbols.
type seenAs int

const (
	onBranches seenAs = iota // a channel maps states to symbols
	asInput                  // the cascade reads symbols and writes states
	byTurns
	seenAsWays
)

// products returns the submodels of a chain as problems, each with its data.
func (c *chain) products(how seenAs) (problems []cascade.Problem, data []cascade.Data) {
	for m := range c.submodels() {
		input := how == asInput || how == byTurns && m%2 == 0
		p := cascade.Problem{Params: c.params, Stages: []cascade.Stage{c.transitions(m, (*em.Group).Weight)}}
		if input {
			inverse := c.channel(m).Inverse()
			p.Stages = append([]cascade.Stage{inverse}, p.Stages...)
		} else {
			p.Branches = [][]cascade.Stage{{c.channel(m)}}
		}
		var d cascade.Data
		for x, weight := range c.weight {
			var labels []int32
			for _, o := range c.seen[x][m] {
				labels = append(labels, int32(o+1))
			}
			example := cascade.Example{X: cascade.Labels(labels...), Weight: em.Times(weight)}
			if !input {
				example.X, example.Branches = cascade.Side{}, []cascade.Side{cascade.Labels(labels...)}
			}
			d.Examples = append(d.Examples, example)
		}
		problems, data = append(problems, p), append(data, d)
	}
	return problems, data
}

// TestExactChains compares the products of cascades with sums over all sequences.
func TestExactChains(t *testing.T) {
	for seed := range trials.Seeds(60) {
		for how := range seenAsWays {
			c := newChain(rand.New(rand.NewPCG(seed, 7)))
			theta := c.params.Random(rand.New(rand.NewPCG(seed, 14)))
			problems, data := c.products(how)
			l := must(agree.Exact(data, problems...))
			compare(t, fmt.Sprintf("seed %d, way %d", seed, how), l, c.space, "exact", theta)
			data[0].Strategy = cascade.ByBlocks
			compare(t, fmt.Sprintf("seed %d, way %d, by blocks", seed, how), must(agree.Exact(data, problems...)), c.space, "exact", theta)
			one := *c.space
			one.domain, one.use, one.private = one.domain[:1], one.use[:1], one.private[:1]
			compare(t, fmt.Sprintf("seed %d, way %d, one submodel", seed, how), must(agree.Exact(data[:1], problems[0])), &one, "exact", theta)
		}
		if t.Failed() {
			return
		}
	}
}

// TestExactSpaces does the same for sets of pairs of an example and a structure, which all
// submodels read. Constraints on their output restrict the structures.
func TestExactSpaces(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 15))
		e := newSpace(rng, shape{tied: seed%3 == 0, private: seed%2 == 0, law: multinomial})
		var problems []cascade.Problem
		var data []cascade.Data
		for m := range e.submodels() {
			private := e.machine(e.everywhere, func(_, z int) []int { return e.private[m][z] })
			problems = append(problems, cascade.Problem{Params: e.params, Stages: []cascade.Stage{private, e.sharedMachine(m)}})
			d := e.data()
			for x := range d.Examples {
				d.Examples[x].Y = cascade.Set(e.support(func(z int) bool { return e.domain[m][z] }))
				if m > 0 && rng.IntN(3) == 0 {
					d.Examples[x].X = cascade.Side{}
				}
			}
			data = append(data, d)
		}
		compare(t, fmt.Sprintf("seed %d", seed), must(agree.Exact(data, problems...)), e, "exact", e.params.Random(rng))
		if t.Failed() {
			return
		}
	}
}

// TestExactTooLarge: a product that exceeds the limit is an error that names the parts.
func TestExactTooLarge(t *testing.T) {
	c := newChain(rand.New(rand.NewPCG(1, 7)))
	for how, words := range map[seenAs][]string{
		onBranches: {"the cascade from X of submodel 0 to z with", "the branch to Branches[0] of submodel 0 with", "the branch to X of submodel 1 with"},
		asInput:    {"X of submodel 0 and the first machine with", "the other machines and X of submodel 1 with"},
	} {
		problems, data := c.products(how)
		data[0].Strategy = cascade.ByLattice // blocks might not need the product
		for limit := 4; ; limit++ {
			data[1].LatticeLimit = limit
			_, err := must(agree.Exact(data[:2], problems[:2]...)).Expect(context.Background(), em.Query{Theta: c.params.Start()})
			if err == nil {
				if limit < 8 {
					t.Errorf("no limit of %d", limit)
				}
				break
			}
			for _, w := range words {
				wants(t, "too large", err, semiring.ErrLimit, w)
			}
			wants(t, "too large", err, semiring.ErrLimit, "example 0")
		}
	}
}

func TestUnfitProducts(t *testing.T) {
	c, other := newChain(rand.New(rand.NewPCG(1, 7))), newChain(rand.New(rand.NewPCG(2, 7)))
	problems, data := c.products(asInput)
	strange, theirs := other.products(asInput)
	change := func(f func(d *cascade.Data)) []cascade.Data {
		d := data[1]
		d.Examples = append([]cascade.Example(nil), d.Examples...)
		f(&d)
		return []cascade.Data{data[0], d}
	}
	for words, test := range map[string]struct {
		data     []cascade.Data
		problems []cascade.Problem
	}{
		"0 submodels":                      {},
		"2 submodels, data for 1":          {data[:1], problems[:2]},
		"submodels 0 and 1 have different": {[]cascade.Data{data[0], theirs[0]}, []cascade.Problem{problems[0], strange[0]}},
		"examples, submodel 0 has":         {change(func(d *cascade.Data) { d.Examples = append(d.Examples, d.Examples[0]) }), problems[:2]},
		"has weight 7 in submodel 1":       {change(func(d *cascade.Data) { d.Examples[0].Weight = em.Times(7) }), problems[:2]},
		"policy":                           {change(func(d *cascade.Data) { d.Underivable = em.Skip }), problems[:2]},
		"no Stream":                        {change(func(d *cascade.Data) { d.Stream = cascade.Sequence(func(func(cascade.Example, error) bool) {}) }), problems[:2]},
		"submodel 1: invalid input":        {change(func(d *cascade.Data) { d.Examples = nil }), problems[:2]},
		"machine 0 of the cascade is nil":  {data[:2], []cascade.Problem{problems[0], {Params: c.params, Stages: []cascade.Stage{nil}}}},
	} {
		_, err := agree.Exact(test.data, test.problems...)
		wants(t, words, err, em.ErrInvalid, words)
	}
}

// TestFailedSubmodels: a failed stage or side of a submodel is the error, once, with the
// submodel's number.
func TestFailedSubmodels(t *testing.T) {
	c := newChain(rand.New(rand.NewPCG(1, 7)))
	problems, data := c.products(asInput)
	cause := errors.New("there is no such file")
	failed := cascade.Problem{Params: c.params, Stages: []cascade.Stage{fst.Invert(fst.Failed(c.params.Space(), cause))}}
	torn := cascade.Data{Examples: []cascade.Example{{X: cascade.Set(failed.Stages[0])}}}
	for words, do := range map[string]func() error{
		"submodel 1: machine 0 of the cascade": func() error {
			_, err := agree.Exact(data[:2], problems[0], failed)
			return err
		},
		"submodel 0: invalid input: example 0": func() error {
			_, err := agree.Exact([]cascade.Data{torn, torn}, problems[0], problems[1])
			return err
		},
		"agree: submodel 1: ": func() error {
			x := data[0].Examples[0]
			_, err := agree.Marginal([]cascade.Example{x, x}, c.params.Start(), problems[0], failed)
			return err
		},
	} {
		err := do()
		wants(t, words, err, cause, words)
		if err != nil && strings.Count(err.Error(), cause.Error()) != 1 {
			t.Errorf("error %v, want %v once", err, cause)
		}
	}
}

// TestProductMessages: messages use the caller's names of the tapes. Data that constrain z in
// place of an observation are errors.
func TestProductMessages(t *testing.T) {
	params := em.NewParams()
	words := fst.StringMap(semiring.Real{}, []fst.Path[float64]{
		{In: []rune("ab"), Out: []rune("ab"), Weight: .5}, {In: []rune("ba"), Out: []rune("ba"), Weight: .5},
	})
	var problems []cascade.Problem
	for _, name := range []string{"first", "second", "third"} {
		problems = append(problems, cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Joint(params, name, words, em.Multinomial{})}})
	}
	for words, data := range map[string][]cascade.Data{
		`example 0 ("ab"): the cascade from X of submodel 0 to X of submodel 1 writes for X of submodel 0 only the beginning of X of submodel 1, before label 'b' (98) at position 0`: {cascade.Inputs("ab"), cascade.Inputs("ba")},
		`label 'c' (99) at position 1 of X of submodel 1 is written by no arc`:                                                                                                        {cascade.Inputs("ab"), cascade.Inputs("ac")},
		`label 'c' (99) at position 1 of X of submodel 2 is written by no arc`:                                                                                                        {cascade.Inputs("ab"), cascade.Inputs("ab"), cascade.Inputs("ac")},
		`example 0 ("ab" and "ab"): the branch to X of submodel 1 writes for z only the beginning of X of submodel 1, before label 'b'`:                                               {cascade.Pairs([][2]string{{"ab", "ab"}}), cascade.Inputs("ba"), cascade.Inputs("ba")},
	} {
		l, err := agree.Exact(data, problems[:len(data)]...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = em.LogLikelihood(t.Context(), l, params.Start())
		wants(t, words, err, em.ErrUnderivable, words)
	}
	_, err := agree.Exact([]cascade.Data{cascade.Pairs([][2]string{{"ab", "ab"}}), cascade.Pairs([][2]string{{"ab", "ba"}})}, problems[:2]...)
	wants(t, "two z", err, em.ErrInvalid, `example 0 ("ab" and "ab"): Y, the evidence for the hidden string z, is [98 97] in submodel 1 and [97 98] in earlier ones; `)
	wants(t, "two z", err, em.ErrInvalid, `leave Y out, as cascade.Inputs does`)
	if _, err := agree.Exact([]cascade.Data{cascade.Pairs([][2]string{{"ab", "ab"}}), cascade.Pairs([][2]string{{"ab", "ab"}})}, problems[:2]...); err != nil {
		t.Errorf("z is known: %v", err)
	}
}
