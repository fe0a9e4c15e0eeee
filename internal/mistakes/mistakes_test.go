package mistakes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/models/bayes/table"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

func TestMistakes(t *testing.T) {
	arc := fst.Arc[float64]{In: 'a', Out: 'b', Weight: .5}
	ab, ba := fst.NewSymbols("a", "b"), fst.NewSymbols("b", "a")
	real := echo(semiring.Real{})
	for _, m := range []struct {
		mistake string
		err     error
		want    string
	}{
		{"a forgotten weight", used(fst.OneState(semiring.Real{}, 1, arc, fst.Arc[float64]{In: 'b', Out: 'b'})),
			"fst: OneState: invalid input: arc 1 of state 0 has the weight Zero, as if Weight had been forgotten; if it is meant, leave the arc out or call Builder.AllowZero"},
		{"a forgotten weight of one arc of many", func() error {
			space := em.NewParams().Space()
			b := fst.NewBuilder(space)
			b.AddStates(2)
			b.AddArc(1, fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: space.One()})
			b.AddArc(0, fst.Arc[expr.W]{In: 'a', Out: 'a', To: 1})
			return first(b.Freeze())
		}(),
			"fst: invalid input: arc 0 of state 0 has the weight Zero, as if Weight had been forgotten; if it is meant, leave the arc out or call Builder.AllowZero"},
		{"an arc to a state that was not added", func() error {
			b := fst.NewBuilder(semiring.Real{})
			b.AddArc(b.AddState(), fst.Arc[float64]{In: 1, Out: 1, Weight: 1, To: 3})
			return first(b.Freeze())
		}(),
			"fst: invalid input: arc 0 from state 0 goes to state 3 of 1"},
		{"a weight that is not a number", used(fst.OneState(semiring.Real{}, math.NaN(), arc)),
			"fst: OneState: invalid input: final weight of state 0 is not a number"},
		{"two tables of symbols", used(fst.Compose(real.WithSymbols(ab, ab), real.WithSymbols(ba, ba))),
			`fst: Compose(1 state and 2 arcs, 1 state and 2 arcs): machines do not fit together: the output symbols of the first are not the input symbols of the second: label 1 is "a" in one and "b" in the other; make both with one table, or from one text or rx.Compiler`},
		{"two tables of symbols in a union", used(fst.Union(real.WithSymbols(ab, ab), real.WithSymbols(ba, ba))),
			`fst: Union(1 state and 2 arcs, 1 state and 2 arcs): machines do not fit together: machine 1 has other input symbols than those before: label 1 is "a" in one and "b" in the other; make both with one table, or from one text or rx.Compiler`},
		{"machines of two texts, each with a symbol of its own", composed(`m = [a-m]*;`, `m = [b-z]*;`),
			`fst: Compose(1 state and 13 arcs, 1 state and 25 arcs): machines do not fit together: the output symbols of the first are not the input symbols of the second: label 97 is "a" in one and nothing in the other; make both with one table, or from one text or rx.Compiler`},
		{"a variable that stands for a text", compiled(`x = {@c in "ab": @c @c};`, "x"),
			"rx: x: 1:12: invalid input: no set of symbols for a variable: want a class, a symbol, or sets of them with |, - or & between"},
		{"a variable whose class is not in parentheses", first(rx.Parse(`{@c in [a-z] - [x]: @c @c}`)),
			"rx: 1:14: syntax error: '-', want a colon behind the symbols that a variable stands for"},
		{"a dot in a text that names no symbol", first(alone(`m = (. | .:())*;`)),
			"rx: m: 1:6: invalid input: no symbol of the alphabet is in ."},
		{"a character that a machine does not know", applied(real.WithSymbols(fst.RuneSymbols("ab"), fst.RuneSymbols("ab")), "abc"),
			`fst: ApplyText(1 state and 2 arcs): symbols do not match: "c" at position 2 has no label`},
		{"a mistake in the middle of an expression", first(fst.BestText(fst.Compose(fst.Star(fst.Union(real.WithSymbols(ab, ab), real.WithSymbols(ba, ba))), real), "ab", nil)),
			`fst: Union(1 state and 2 arcs, 1 state and 2 arcs): machines do not fit together: machine 1 has other input symbols than those before: label 1 is "a" in one and "b" in the other; make both with one table, or from one text or rx.Compiler`},
		{"two tables of symbols, of machines that were not expanded", used(fst.Compose(fst.Star[float64](real.WithSymbols(ab, ab)), fst.Plus[float64](real.WithSymbols(ba, ba)))),
			`fst: Compose(Star, Plus): machines do not fit together: the output symbols of the first are not the input symbols of the second: label 1 is "a" in one and "b" in the other; make both with one table, or from one text or rx.Compiler`},
		{"a composition that is too large", first(fst.Expand(fst.Compose(fst.Star[float64](real), real), &fst.Options{Limit: 3})),
			"fst: Expand(Compose): limit exceeded: more than 3 states and arcs"},
		{"determinization of a transducer", used(fst.Determinize(fst.Compose(real, fst.OneState(semiring.Real{}, 1, arc)), nil)),
			"fst: Determinize(Compose): invalid input: arc 0 of state 0 reads 'a' (97) and writes 'b' (98), want an acceptor"},
		{"a ring that does not say that it commutes", used(fst.Compose(echo(own{}), echo(own{}))),
			"fst: Compose(1 state and 2 arcs, 1 state and 2 arcs): semiring lacks a capability: mistakes.own does not claim to be commutative, by a method Laws that returns semiring.Commutative"},
		{"shortest paths in a ring without order", paths(echo(own{})),
			"fst: ShortestPaths(1 state and 2 arcs): best paths: semiring lacks a capability: mistakes.own is no semiring.Ordered: it has no method Compare; take semiring.Viterbi or semiring.Tropical"},
		{"a cycle of weight 1", first(graph.PathSum(real.Graph())),
			"graph: sum diverges: the cycles through state 0 have no sum: those found so far have a mass of 2"},
		{"determinization of what has no division", used(fst.Determinize(echo(own{}), nil)),
			"fst: Determinize(1 state and 2 arcs): semiring lacks a capability: mistakes.own is no semiring.Divider: it has no method LDiv or RDiv"},
		{"a text file of a machine with a weight that is none", first(fstio.ReadText(strings.NewReader("0 1 97 98 x\n1\n"), semiring.Real{}, nil)),
			`line 1: weight "x" is not a number`},
		{"a binary file that is none", first(fstio.ReadBinary(strings.NewReader("0 1 97 98 .5\n1\n"), semiring.Tropical{})),
			"data: byte 0: this is no machine in OpenFst's binary form, but a text: see ReadText for machines, and ReadSymbols for tables of symbols"},
		{"an expression that does not end", first(rx.Parse(`("a" | "b"`)),
			"rx: 1:11: syntax error: the end, want an operator or )"},
		{"a definition that is not there", compiled(`x = y "a";`, "x"),
			`rx: x: 1:5: symbols do not match: "y" is not in the alphabet, and nothing is defined as y, which would be written @y`},
		{"a definition that is called without @", compiled(`vowel = "a"; x = vowel "a";`, "x"),
			`rx: x: 1:18: symbols do not match: "v" is not in the alphabet; what is defined as vowel is written @vowel`},
		{"no examples", trained(nil),
			"cascade: invalid input: no examples"},
		{"a label that no arc reads", trained(nil, cascade.Example{X: cascade.Labels('a', 'c'), Y: cascade.Labels('a', 'c'), Name: "line 7"}),
			"cascade: no derivation: 1 of 1 examples (numbered from 0), the first is example 0 (line 7): label 'c' (99) at position 1 of X is read by no arc"},
		{"a string that is too short for the other", trained(nil, cascade.Example{X: cascade.Labels('a', 'b'), Y: cascade.Labels('a')}),
			"cascade: no derivation: 1 of 1 examples (numbered from 0), the first is example 0: the cascade writes for X all of Y, but cannot end there"},
		{"ε in a string", trained(nil, cascade.Example{X: cascade.Labels('a', 0)}),
			"cascade: invalid input: example 0: label 0 in a string, want labels > 0"},
		{"machines over two rings", used(fst.Union(real, echo[float64](own{}))),
			"fst: Union(1 state and 2 arcs, 1 state and 2 arcs): machines do not fit together: their weights belong to the rings semiring.Real and mistakes.own, want one ring for both"},
		{"machines over the rings of two tables of parameters", used(fst.Union(constant(em.NewParams(), .5), constant(em.NewParams(), .5))),
			"fst: Union(1 state and 1 arc, 1 state and 1 arc): machines do not fit together: their weights belong to two different rings of the type *expr.Space, want one ring for both"},
		{"shortest paths in a ring made of two", paths(echo(semiring.Product(semiring.Real{}, semiring.Tropical{}))),
			"fst: ShortestPaths(1 state and 2 arcs): best paths: semiring lacks a capability: semiring.product[float64,semiring.Cost] is no semiring.Ordered: not all of its parts are; take semiring.Viterbi or semiring.Tropical"},
		{"a constant machine that is not normalized", func() error {
			params := em.NewParams()
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{constant(params, .75)}}
			result, err := p.Fit(context.Background(), cascade.Inputs("a"), nil)
			if err != nil || len(result.Remarks) != 1 {
				return err
			}
			return errors.New(result.Remarks[0])
		}(),
			"machine 0 of the cascade has constant weights that are not probabilities: those of state 0 sum to 1.75, want 1 (the first of 1)"},
		{"statistics of many answers, and the log-partition function of one", func() error {
			family, err := moments.NewFamily(mat.NewDense(2, 1, []float64{1, 0}), []string{"yes"})
			if err != nil {
				return err
			}
			result, err := moments.Fit(context.Background(), family.LogPartition(1), []float64{30}, nil)
			if err != nil || len(result.Remarks) != 1 {
				return err
			}
			return errors.New(result.Remarks[0])
		}(),
			"the statistics are outside of what the examples of the log-partition function can have, by 29 times the width of that, in the direction of θ; are both sums over as many examples?"},
		{"a constant machine that is not normalized, and a sum without a value", func() error {
			params := em.NewParams()
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{constant(params, 1.5)}}
			return first(p.Fit(context.Background(), cascade.Data{Examples: make([]cascade.Example, 1)}, nil))
		}(),
			"cascade: example 0: sum diverges: the cycles through state 1 have no sum: those found so far have a mass of 1.5; machine 0 of the cascade has constant weights that are not probabilities: those of state 0 sum to 2.5, want 1 (the first of 1); nothing bounds the sum over the strings of X or Y: give them in the data, or put a machine beside them whose weights sum to a finite number, such as a language model in front of X"},
		{"a negative weight of an example", trained(nil, cascade.Example{X: cascade.Labels('a'), Weight: em.Times(-1)}),
			"cascade: invalid input: example 0 has weight -1, want a finite number ≥ 0"},
		{"a start that is no distribution", trained(&em.Options{Start: []float64{.5, .6, .7}}, cascade.Example{X: cascade.Labels('a')}),
			"em: bad parameter: group channel/0: parameters sum to 1.8, want 1"},
		{"a start of the wrong length", trained(&em.Options{Start: []float64{1}}, cascade.Example{X: cascade.Labels('a')}),
			"em: bad parameter: 1 values for 3 parameters; make all models of a Params first, or take Params.Start() or Random again"},
		{"two machines of one name", func() error {
			params := em.NewParams()
			stage := func() cascade.Stage { return cascade.Conditional(params, "channel", real, em.Multinomial{}) }
			return first(cascade.Problem{Params: params, Stages: []cascade.Stage{stage(), stage()}}.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)}))
		}(),
			`cascade: machine 1 of the cascade: Conditional: bad parameter: there is a group channel/0/a already; call this machine something else than "channel"`},
		{"a stage of a mistaken machine, that is inverted", func() error {
			params := em.NewParams()
			stage := cascade.Conditional(params, "channel", fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'b'}), em.Multinomial{})
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{constant(params, .5), fst.Invert(stage)}}
			return first(p.Fit(context.Background(), cascade.Outputs("a"), nil))
		}(),
			"cascade: machine 1 of the cascade: OneState: invalid input: arc 0 of state 0 has the weight Zero, as if Weight had been forgotten; if it is meant, leave the arc out or call Builder.AllowZero"},
		{"a stage of a mistaken machine, in a channel", func() error {
			params := em.NewParams()
			stage := cascade.Constants(params, fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'b'}))
			return first(channel.New(params, stage).Predictor(nil))
		}(),
			"channel: stage 0: OneState: invalid input: arc 0 of state 0 has the weight Zero, as if Weight had been forgotten; if it is meant, leave the arc out or call Builder.AllowZero"},
		{"a set that could not be made", trained(nil, cascade.Example{X: cascade.Labels('a'), Y: cascade.Set(fst.Union(constant(em.NewParams(), .5), constant(em.NewParams(), .5)))}),
			"cascade: invalid input: example 0: Union(1 state and 1 arc, 1 state and 1 arc): machines do not fit together: their weights belong to two different rings of the type *expr.Space, want one ring for both"},
		{"restarts without randomness", trained(&em.Options{Restarts: 3}, cascade.Example{X: cascade.Labels('a')}),
			"em: invalid input: restarts without a source of randomness, Options.Rand"},
		{"constants of a ring without probabilities", used(cascade.Constants(em.NewParams(), echo[float64](own{}))),
			"cascade: Constants: semiring lacks a capability: mistakes.own is no semiring.Prober: it has no method FromLog or Log"},
		{"no cascade", first(cascade.Problem{Params: em.NewParams()}.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)})),
			"cascade: invalid input: no machine in Stages; where a model has none before its branches, cascade.Constants of a machine that keeps each label stands for all strings"},
		{"a machine of other parameters", func() error {
			params, others := em.NewParams(), em.NewParams()
			stage := cascade.Joint(others, "x", echo(semiring.Boolean{}), em.Multinomial{})
			return first(cascade.Problem{Params: params, Stages: []cascade.Stage{stage}}.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)}))
		}(),
			"cascade: invalid input: machine 0 of the cascade has weights of other Params"},
		{"an alphabet with a letter twice", first(edit.NewJoint([]rune("abca"), []rune("ab"), em.Multinomial{})),
			"edit: invalid input: label 'a' (97) is twice in the source alphabet"},
		{"a word that is twice in a lexicon", first(edit.NewNearest(edit.Words("fish", "hat", "fish"))),
			`edit: invalid input: words 0 and 2 are both "fish"`},
		{"a hidden Markov model without states", states(0),
			"hmm: invalid input: 0 states"},
		{"a hidden Markov model with too short a list of successors", func() error {
			_, err := hidden(em.NewParams(), em.NewParams(), hmm.Topology{States: 3, Next: [][]int{{0}, {1}}})
			return err
		}(),
			"hmm: invalid input: Next has lists for 2 states, want one for each of 3"},
		{"a hidden Markov model with an emission of other parameters", func() error {
			_, err := hidden(em.NewParams(), em.NewParams(), hmm.Topology{States: 2})
			return err
		}(),
			"hmm: invalid input: the emission has parameters of another em.Params, such as face/0[0]; make it with the Params of the model"},
		{"a hidden Markov model made before another one of its parameters", func() error {
			params := em.NewParams()
			m, err := hidden(params, params, hmm.Topology{States: 2})
			if err != nil {
				return err
			}
			params.Group("of another model", 18, em.Multinomial{})
			return first(m.Predictor())
		}(),
			"em: bad parameter: 18 values for 36 parameters; make all models of a Params first, or take Params.Start() or Random again"},
		{"two hidden Markov models with emissions of one name", func() error {
			params := em.NewParams()
			if _, err := hidden(params, params, hmm.Topology{States: 2}); err != nil {
				return err
			}
			return first(hidden(params, params, hmm.Topology{States: 2}))
		}(),
			"hmm: invalid input: there is a group face/0 already; call this emission something else than \"face\""},
		{"messages between hidden Markov models", func() error {
			params := em.NewParams()
			m, err := hidden(params, params, hmm.Topology{States: 2})
			if err != nil {
				return err
			}
			s, err := m.Submodel([]hmm.Sequence[int32]{{Observations: []int32{0, 1, 2}}})
			if err != nil {
				return err
			}
			return first(agree.LoopyBelief(em.Fail, nil, s))
		}(),
			"agree: invalid input: submodel 0 cannot take in what others say of its features, by a method Tilt; LoopyBelief takes those of Marked, and for others there are Averaged, ProductOfPosteriors and Independent"},
		{"a prediction by a machine of other parameters", func() error {
			params, others := em.NewParams(), em.NewParams()
			return first(channel.New(params, constant(others, .5)).Predictor(nil))
		}(),
			"channel: stage 0: invalid input: Instantiate: the machine has weights of other Params"},
		{"a hidden Markov model that cannot tell its states apart", states(2),
			"hmm: symmetric start: the states 0 and 1 are alike and would remain so; begin with StartRandom or StartKMeans, or use restarts"},
		{"a symbol that a channel does not read", func() error {
			params := em.NewParams()
			p, err := channel.New(params, constant(params, 1)).Predictor(nil)
			if err != nil {
				return err
			}
			return first(p.Posteriors(channel.Query{Source: []rune("ax")}, channel.Target, 1))
		}(),
			"channel: unknown symbol: no arc of the model has label 'x' (120), at position 1 of the source"},
		{"a random target of a source that has none", func() error {
			params := em.NewParams()
			p, err := channel.New(params, constant(params, .5)).Predictor(nil)
			if err != nil {
				return err
			}
			return first(p.Sample(channel.Query{Source: []rune("a"), Target: []rune("aa")}, 1, rand.NewPCG(1, 1)))
		}(),
			"channel: no derivation of the query"},
		{"edits of a letter that no edit has", func() error {
			m, err := edit.NewJoint([]rune("ab"), []rune("ab"), em.Multinomial{})
			if err != nil {
				return err
			}
			p, err := m.Predictor()
			if err != nil {
				return err
			}
			return first(p.Best([]rune("ax"), []rune("ab")))
		}(),
			"edit: no derivation: there is no way to edit the source into the target"},
		{"a cell that is no state of a network", first(table.ReadRows(strings.NewReader("rain\nmaybe\n"), "diary.csv", rain())),
			`diary.csv:2: invalid input: rain has no state "maybe", want one of yes, no`},
		{"a column that no variable is called like", first(table.ReadRows(strings.NewReader("rain,windy\nyes,no\n"), "diary.csv", rain())),
			`diary.csv:1: bad format: no variable is called "windy", want one of rain; to leave out a column, use Read, Select and RowsOf`},
		{"more attributes than labels", crf.NewData().Add([]string{"D"}, crf.Names([]string{"the"}, []string{"fish"})),
			"crf: sequence 0: invalid input: position 0: attributes are listed for 2 positions, but the sequence has 1"},
		{"evidence of a variable that is not there", first(rain().Evidence(map[string]string{"snow": "yes"})),
			`bayes: invalid input: no variable is called "snow", want one of rain`},
		{"a CRF without training data", first(crf.New(crf.Chain, crf.NewData(), em.LogLinearOptions{})),
			"crf: invalid input: 0 sequences, none with a label"},
		{"a network of a column that the table lacks", func() error {
			t, err := table.Read(strings.NewReader("rain,grass\nyes,wet\n"), "diary.csv", nil)
			if err != nil {
				return err
			}
			return first(t.Network("rain; gras | rain"))
		}(),
			`table: invalid input: diary.csv has no column "gras", want one of rain, grass`},
		{"a law of stays that sums to more than 1", func() error {
			topology := hmm.Durations(2, 3)
			params := em.NewParams()
			m, err := hidden(params, params, topology)
			if err != nil {
				return err
			}
			return m.SetDuration(0, hmm.Duration{Explicit: []float64{.7, .6}})
		}(),
			"hmm: invalid input: the stays in state 0: the probabilities of all lengths sum to 1.3, want 1"},
		{"a model file that is another's", first(edit.Load(strings.NewReader("{}"))),
			`edit: bad format: format "", want "pathsum model 2"`},
	} {
		if m.err == nil || m.err.Error() != m.want {
			t.Errorf("%s:\n%v, want\n%s", m.mistake, m.err, m.want)
			continue
		}
		seen := map[string]bool{}
		for _, part := range strings.Split(m.want, ": ") {
			if seen[part] {
				t.Errorf("%s: %s says %s twice", m.mistake, m.want, part)
			}
			seen[part] = true
		}
		if strings.Contains(m.want, "example.org") {
			t.Errorf("%s: %s has the path of a package", m.mistake, m.want)
		}
	}
}
