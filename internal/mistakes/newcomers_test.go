package mistakes

import (
	"context"
	"errors"
	"fmt"
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
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// errRemark replaces an error for a result with a remark.
var errRemark = errors.New("remark")

// TestMistakes: the library's messages for mistakes are listed in testdata/errors.md.
func TestMistakes(t *testing.T) {
	arc := fst.Arc[float64]{In: 'a', Out: 'b', Weight: .5}
	ab, ba := fst.NewSymbols("a", "b"), fst.NewSymbols("b", "a")
	real := echo(semiring.Real{})
	var all List
	for _, m := range []struct {
		mistake   string
		want, err error
	}{
		{"a forgotten weight", em.ErrInvalid, used(fst.OneState(semiring.Real{}, 1, arc, fst.Arc[float64]{In: 'b', Out: 'b'}))},
		{"a forgotten weight of one arc of many", em.ErrInvalid, func() error {
			space := em.NewParams().Space()
			b := fst.NewBuilder(space)
			b.AddStates(2)
			b.AddArc(1, fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: space.One()})
			b.AddArc(0, fst.Arc[expr.W]{In: 'a', Out: 'a', To: 1})
			return first(b.Freeze())
		}()},
		{"an arc to a state that was not added", em.ErrInvalid, func() error {
			b := fst.NewBuilder(semiring.Real{})
			b.AddArc(b.AddState(), fst.Arc[float64]{In: 1, Out: 1, Weight: 1, To: 3})
			return first(b.Freeze())
		}()},
		{"a weight that is not a number", em.ErrInvalid, used(fst.OneState(semiring.Real{}, math.NaN(), arc))},
		{"two tables of symbols", fst.ErrMismatch, used(fst.Compose(real.WithSymbols(ab, ab), real.WithSymbols(ba, ba)))},
		{"two tables of symbols in a union", fst.ErrMismatch, used(fst.Union(real.WithSymbols(ab, ab), real.WithSymbols(ba, ba)))},
		{"machines of two texts, each with a symbol of its own", fst.ErrMismatch, composed(`m = [a-m]*;`, `m = [b-z]*;`)},
		{"a variable that stands for a text", em.ErrInvalid, compiled(`x = {@c in "ab": @c @c};`, "x")},
		{"a variable whose class is not in parentheses", rx.ErrSyntax, first(rx.Parse(`{@c in [a-z] - [x]: @c @c}`))},
		{"a dot in a text that names no symbol", em.ErrInvalid, first(alone(`m = (. | .:())*;`))},
		{"a character that a machine does not know", fst.ErrSymbol, applied(real.WithSymbols(fst.RuneSymbols("ab"), fst.RuneSymbols("ab")), "abc")},
		{"a mistake in the middle of an expression", fst.ErrMismatch, first(fst.BestText(fst.Compose(fst.Star(fst.Union(real.WithSymbols(ab, ab), real.WithSymbols(ba, ba))), real), "ab", nil))},
		{"two tables of symbols, of machines that were not expanded", fst.ErrMismatch, used(fst.Compose(fst.Star[float64](real.WithSymbols(ab, ab)), fst.Plus[float64](real.WithSymbols(ba, ba))))},
		{"a composition that is too large", semiring.ErrLimit, first(fst.Expand(fst.Compose(fst.Star[float64](real), real), &fst.Options{Limit: 3}))},
		{"determinization of a transducer", em.ErrInvalid, used(fst.Determinize(fst.Compose(real, fst.OneState(semiring.Real{}, 1, arc)), nil))},
		{"a ring that does not say that it commutes", semiring.ErrCapability, used(fst.Compose(echo(own{}), echo(own{})))},
		{"shortest paths in a ring without order", semiring.ErrCapability, paths(echo(own{}))},
		{"a cycle of weight 1", semiring.ErrDiverges, first(graph.PathSum(real.Graph()))},
		{"determinization of what has no division", semiring.ErrCapability, used(fst.Determinize(echo(own{}), nil))},
		{"a text file of a machine with a weight that is none", fstio.ErrFormat, first(fstio.ReadText(strings.NewReader("0 1 97 98 x\n1\n"), semiring.Real{}, nil))},
		{"a binary file that is none", fstio.ErrFormat, first(fstio.ReadBinary(strings.NewReader("0 1 97 98 .5\n1\n"), semiring.Tropical{}))},
		{"an expression that does not end", rx.ErrSyntax, first(rx.Parse(`("a" | "b"`))},
		{"a definition that is not there", fst.ErrSymbol, compiled(`x = y "a";`, "x")},
		{"a definition that is called without @", fst.ErrSymbol, compiled(`vowel = "a"; x = vowel "a";`, "x")},
		{"no examples", em.ErrInvalid, trained(nil)},
		{"a label that no arc reads", em.ErrUnderivable, trained(nil, cascade.Example{X: cascade.Labels('a', 'c'), Y: cascade.Labels('a', 'c'), Name: "line 7"})},
		{"a string that is too short for the other", em.ErrUnderivable, trained(nil, cascade.Example{X: cascade.Labels('a', 'b'), Y: cascade.Labels('a')})},
		{"ε in a string", em.ErrInvalid, trained(nil, cascade.Example{X: cascade.Labels('a', 0)})},
		{"machines over two rings", fst.ErrMismatch, used(fst.Union(real, echo[float64](own{})))},
		{"machines over the rings of two tables of parameters", fst.ErrMismatch, used(fst.Union(constant(em.NewParams(), .5), constant(em.NewParams(), .5)))},
		{"shortest paths in a ring made of two", semiring.ErrCapability, paths(echo(semiring.Product(semiring.Real{}, semiring.Tropical{})))},
		{"a constant machine that is not normalized", errRemark, func() error {
			params := em.NewParams()
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{constant(params, .75)}}
			result, err := p.Fit(context.Background(), cascade.Inputs("a"), nil)
			if err != nil || len(result.Remarks) != 1 {
				return err
			}
			return fmt.Errorf("%w: %s", errRemark, result.Remarks[0])
		}()},
		{"two hidden states that begin alike", errRemark, func() error {
			params := em.NewParams()
			states := fst.NewBuilder(semiring.Semiring[float64](semiring.Real{}))
			states.AddStates(2)
			for from := range int32(2) {
				states.AddStart(from, .5)
				states.SetFinal(from, 1)
				for to := range int32(2) {
					states.AddArc(from, fst.Arc[float64]{In: 'a', Out: 'a', Weight: 1, To: to})
					states.AddArc(from, fst.Arc[float64]{In: 'b', Out: 'b', Weight: 1, To: to})
				}
			}
			hidden, err := states.Freeze()
			if err != nil {
				return err
			}
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Joint(params, "states", fst.Machine[float64](hidden), em.Multinomial{})}}
			result, err := p.Fit(context.Background(), cascade.Inputs("aaab", "bbba"), nil)
			if err != nil || len(result.Remarks) != 1 {
				return err
			}
			return fmt.Errorf("%w: %s", errRemark, result.Remarks[0])
		}()},
		{"statistics of many answers, and the log-partition function of one", errRemark, func() error {
			family, err := moments.NewFamily(mat.NewDense(2, 1, []float64{1, 0}), []string{"yes"})
			if err != nil {
				return err
			}
			result, err := moments.Fit(context.Background(), family.LogPartition(1), []float64{30}, nil)
			if err != nil || len(result.Remarks) != 1 {
				return err
			}
			return fmt.Errorf("%w: %s", errRemark, result.Remarks[0])
		}()},
		{"a constant machine that is not normalized, and a sum without a value", semiring.ErrDiverges, func() error {
			params := em.NewParams()
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{constant(params, 1.5)}}
			return first(p.Fit(context.Background(), cascade.Data{Examples: make([]cascade.Example, 1)}, nil))
		}()},
		{"a negative weight of an example", em.ErrInvalid, trained(nil, cascade.Example{X: cascade.Labels('a'), Weight: em.Times(-1)})},
		{"a start that is not a distribution", em.ErrParameter, trained(&em.Options{Start: []float64{.5, .6, .7}}, cascade.Example{X: cascade.Labels('a')})},
		{"a start of the wrong length", em.ErrParameter, trained(&em.Options{Start: []float64{1}}, cascade.Example{X: cascade.Labels('a')})},
		{"two machines of one name", em.ErrParameter, func() error {
			params := em.NewParams()
			stage := func() cascade.Stage { return cascade.Conditional(params, "channel", real, em.Multinomial{}) }
			return first(cascade.Problem{Params: params, Stages: []cascade.Stage{stage(), stage()}}.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)}))
		}()},
		{"a stage of a mistaken machine, that is inverted", em.ErrInvalid, func() error {
			params := em.NewParams()
			stage := cascade.Conditional(params, "channel", fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'b'}), em.Multinomial{})
			p := cascade.Problem{Params: params, Stages: []cascade.Stage{constant(params, .5), fst.Invert(stage)}}
			return first(p.Fit(context.Background(), cascade.Outputs("a"), nil))
		}()},
		{"a stage of a mistaken machine, in a channel", em.ErrInvalid, func() error {
			params := em.NewParams()
			stage := cascade.Constants(params, fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'b'}))
			return first(channel.New(params, stage).Predictor(nil))
		}()},
		{"a set that could not be made", em.ErrInvalid, trained(nil, cascade.Example{X: cascade.Labels('a'), Y: cascade.Set(fst.Union(constant(em.NewParams(), .5), constant(em.NewParams(), .5)))})},
		{"restarts without randomness", em.ErrInvalid, trained(&em.Options{Restarts: 3}, cascade.Example{X: cascade.Labels('a')})},
		{"constants of a ring without probabilities", semiring.ErrCapability, used(cascade.Constants(em.NewParams(), echo[float64](own{})))},
		{"no cascade", em.ErrInvalid, first(cascade.Problem{Params: em.NewParams()}.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)}))},
		{"a machine of other parameters", em.ErrInvalid, func() error {
			params, others := em.NewParams(), em.NewParams()
			stage := cascade.Joint(others, "x", echo(semiring.Boolean{}), em.Multinomial{})
			return first(cascade.Problem{Params: params, Stages: []cascade.Stage{stage}}.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)}))
		}()},
		{"an alphabet with a letter twice", em.ErrInvalid, first(edit.NewJoint([]rune("abca"), []rune("ab"), em.Multinomial{}))},
		{"a word that is twice in a lexicon", em.ErrInvalid, first(edit.NewNearest(edit.Words("fish", "hat", "fish")))},
		{"a hidden Markov model without states", em.ErrInvalid, states(0)},
		{"a hidden Markov model with too short a list of successors", em.ErrInvalid, func() error {
			_, err := hidden(em.NewParams(), em.NewParams(), hmm.Topology{States: 3, Next: [][]int{{0}, {1}}})
			return err
		}()},
		{"a hidden Markov model with an emission of other parameters", em.ErrInvalid, func() error {
			_, err := hidden(em.NewParams(), em.NewParams(), hmm.Topology{States: 2})
			return err
		}()},
		{"a hidden Markov model made before another one of its parameters", em.ErrParameter, func() error {
			params := em.NewParams()
			m, err := hidden(params, params, hmm.Topology{States: 2})
			if err != nil {
				return err
			}
			params.Group("of another model", 18, em.Multinomial{})
			return first(m.Predictor())
		}()},
		{"two hidden Markov models with emissions of one name", em.ErrInvalid, func() error {
			params := em.NewParams()
			if _, err := hidden(params, params, hmm.Topology{States: 2}); err != nil {
				return err
			}
			return first(hidden(params, params, hmm.Topology{States: 2}))
		}()},
		{"messages between hidden Markov models", em.ErrInvalid, func() error {
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
		}()},
		{"a prediction by a machine of other parameters", em.ErrInvalid, func() error {
			params, others := em.NewParams(), em.NewParams()
			return first(channel.New(params, constant(others, .5)).Predictor(nil))
		}()},
		{"a hidden Markov model that cannot tell its states apart", em.ErrSymmetric, states(2)},
		{"a symbol that a channel does not read", nbest.ErrUnknown, func() error {
			params := em.NewParams()
			p, err := channel.New(params, constant(params, 1)).Predictor(nil)
			if err != nil {
				return err
			}
			return first(p.Posteriors(channel.Query{Source: []rune("ax")}, channel.Target, 1))
		}()},
		{"a random target of a source that has none", em.ErrUnderivable, func() error {
			params := em.NewParams()
			p, err := channel.New(params, constant(params, .5)).Predictor(nil)
			if err != nil {
				return err
			}
			return first(p.Sample(channel.Query{Source: []rune("a"), Target: []rune("aa")}, 1, rand.NewPCG(1, 1)))
		}()},
		{"edits of a letter that no edit has", em.ErrUnderivable, func() error {
			m, err := edit.NewJoint([]rune("ab"), []rune("ab"), em.Multinomial{})
			if err != nil {
				return err
			}
			p, err := m.Predictor()
			if err != nil {
				return err
			}
			return first(p.Best([]rune("ax"), []rune("ab")))
		}()},
		{"a cell that is not a state of a network", em.ErrInvalid, first(table.ReadRows(strings.NewReader("rain\nmaybe\n"), "diary.csv", rain()))},
		{"a column that there is no variable like", em.ErrFormat, first(table.ReadRows(strings.NewReader("rain,windy\nyes,no\n"), "diary.csv", rain()))},
		{"more attributes than labels", em.ErrInvalid, crf.NewData().Add([]string{"D"}, crf.Names([]string{"the"}, []string{"fish"}))},
		{"evidence of a variable that is not there", em.ErrInvalid, first(rain().Evidence(map[string]string{"snow": "yes"}))},
		{"a CRF without training data", em.ErrInvalid, first(crf.New(crf.Chain, crf.NewData(), em.LogLinearOptions{}))},
		{"a network of a column that the table lacks", em.ErrInvalid, func() error {
			t, err := table.Read(strings.NewReader("rain,grass\nyes,wet\n"), "diary.csv", nil)
			if err != nil {
				return err
			}
			return first(t.Network("rain; gras | rain"))
		}()},
		{"a law of stays that sums to more than 1", em.ErrInvalid, func() error {
			topology := hmm.Durations(2, 3)
			params := em.NewParams()
			m, err := hidden(params, params, topology)
			if err != nil {
				return err
			}
			return m.SetDuration(0, hmm.Duration{Explicit: []float64{.7, .6}})
		}()},
		{"a model file that is another's", em.ErrFormat, first(edit.Load(strings.NewReader("{}")))},
	} {
		all.Add(m.mistake, m.want, func() error { return m.err })
	}
	Check(t, all)
}
