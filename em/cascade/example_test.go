package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A channel copies a letter, changes it or drops it. The strings before and after are observed,
// but not the change of each letter. What are the outputs for ba?
func Example() {
	ctx := context.Background()
	var arcs []fst.Arc[bool]
	for _, in := range "ab" {
		for _, out := range []rune{'a', 'b', fst.Epsilon} { // ε: dropped
			arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
		}
	}
	plain := fst.OneState(semiring.Boolean{}, true, arcs...)

	params := em.NewParams()
	channel := cascade.Conditional(params, "channel", plain, em.Multinomial{})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{channel}})
	data := cascade.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
	result, err := model.Fit(ctx, data, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		if p > 1e-3 {
			fmt.Printf("%s %.2f\n", name, p)
		}
	}
	trained, err := cascade.Instantiate(params, channel, result.Theta, semiring.Real{})
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(trained, "ba", nil) {
		if err != nil {
			log.Fatal(err)
		}
		if out.Weight > 1e-3 {
			fmt.Printf("%s %.2f\n", out.Text, out.Weight)
		}
	}
	// Output:
	// channel/0/a[a:a] 1.00
	// channel/0/b[b:b] 0.50
	// channel/0/b[b:ε] 0.50
	// a 0.50
	// ba 0.50
}

// Expected counts are the gradient of the log likelihood with respect to ln θ.
func ExampleProblem_Likelihood() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f := fst.OneState(params.Space(), coin.Weight(1), fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	likelihood, err := problem.Likelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1, 1)}}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := likelihood.Expect(context.Background(), em.Query{Theta: []float64{.5, .5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f nats, heads %.0f, tails %.0f\n", e.LogLikelihood, e.Counts[0], e.Counts[1])
	// Output: -2.7726 nats, heads 3, tails 1
}

// A trained machine becomes an ordinary one over any ring of probabilities: here over
// costs, −ln p, in the text that OpenFst's fstcompile reads.
func ExampleInstantiate() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f := fst.OneState(params.Space(), coin.Weight(1), fst.Arc[expr.W]{In: 1, Out: 2, Weight: coin.Weight(0)})
	tropical := semiring.Tropical{}
	costs, err := cascade.Instantiate(params, f, []float64{.75, .25}, tropical)
	if err != nil {
		log.Fatal(err)
	}
	if err := fstio.WriteText(os.Stdout, costs, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0	0	1	2	0.2876820724517809
	// 0	1.3862943611198906
}

// unigram returns the model of a text whose letters are drawn independently.
func unigram(alphabet string, law em.Law) cascade.Model {
	params := em.NewParams()
	frequency := params.Group("letter", len(alphabet), law)
	frequency.SetNames(func(i int) string { return alphabet[i : i+1] })
	var arcs []fst.Arc[expr.W]
	for i, c := range alphabet {
		arcs = append(arcs, fst.Arc[expr.W]{In: c, Out: c, Weight: frequency.Weight(i)})
	}
	machine := fst.OneState(params.Space(), expr.One, arcs...)
	return cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
}

// Damaged inscriptions: ROMA lacks a letter, AMOR its end. The lost letters have the frequencies
// of the remaining ones, two As among five letters.
func ExamplePattern() {
	model := unigram("AMOR", em.Multinomial{})
	var data cascade.Data
	for _, text := range [][]int32{{'R', cascade.AnyLabel, 'M', 'A'}, {'A', 'M', cascade.AnyLabel, cascade.AnyLabel}} {
		side := cascade.Pattern(model.Params, []int32{'A', 'M', 'O', 'R'}, text...)
		data.Examples = append(data.Examples, cascade.Example{X: side})
	}
	if _, err := model.Fit(context.Background(), data, &em.Options{Tolerance: 1e-12}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("A %.2f, M %.2f, O %.2f, R %.2f\n", model.Theta[0], model.Theta[1], model.Theta[2], model.Theta[3])
	// Output: A 0.40, M 0.40, O 0.00, R 0.20
}

// A function generates data on demand: the same two texts, 1000 times.
func ExampleSequence() {
	model := unigram("ab", em.Multinomial{})
	stream := cascade.Sequence(func(yield func(cascade.Example, error) bool) {
		for i := range 2000 {
			x := cascade.Example{X: cascade.Labels('a')}
			if i%2 == 1 {
				x.X = cascade.Labels('a', 'a', 'b')
			}
			if !yield(x, nil) {
				return
			}
		}
	})
	if _, err := model.Fit(context.Background(), cascade.Data{Stream: stream}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a %.2f\n", model.Theta[0])
	// Output: a 0.75
}

// A trained model is written to a file, and read and used by another program.
func ExampleLoad() {
	model := unigram("ab", em.Dirichlet{Alpha: 2})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{{X: cascade.Labels('a', 'b', 'a')}}}, nil); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		log.Fatal(err)
	}
	loaded, err := cascade.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	machine, err := cascade.Instantiate(loaded.Params, loaded.Stages[0], loaded.Theta, semiring.Real{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := fst.Weight(machine, []int32{'b', 'b'}, []int32{'b', 'b'}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s = %.2f, P(bb) = %.2f\n", loaded.Params.Name(1), loaded.Theta[1], p)
	// Output: letter[b] = 0.40, P(bb) = 0.16
}

// Discriminative training: is a word (1: without a final s, 2: with a final s) a noun (3) or a
// verb (4)? One of four words with an s is a verb. The frequency of such words does not matter.
func ExampleProblem_ConditionalLikelihood() {
	var arcs []fst.Arc[bool]
	for _, word := range []int32{1, 2} {
		for _, tag := range []int32{3, 4} {
			arcs = append(arcs, fst.Arc[bool]{In: word, Out: tag, Weight: true})
		}
	}
	tagger := fst.OneState(semiring.Boolean{}, true, arcs...)
	params := em.NewParams()
	f := cascade.GlobalLogLinear(params, "tags", tagger, func(_ int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && a.In == 2 && a.Out == 4 {
			return []em.Feature{{Name: "verb with s"}}
		}
		return nil
	}, em.LogLinearOptions{})
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.ConditionalLikelihood(cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(2, 2, 1), Y: cascade.Labels(3, 3, 3)}, {X: cascade.Labels(2, 1, 2), Y: cascade.Labels(3, 4, 4)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: odds %.2f\n", params.Name(0), math.Exp(result.Theta[0]))
	// Output: tags[verb with s]: odds 0.33
}

// Words as written and typed, typed words alone, and written words alone: the side of a text
// determines whether a model reads or writes it.
func ExamplePairs() {
	for _, data := range []cascade.Data{cascade.Pairs([][2]string{{"cat", "ct"}, {"at", "at"}}), cascade.Outputs("ct", "at"), cascade.Inputs("cat", "at")} {
		for _, x := range data.Examples {
			fmt.Println("X", x.X, "Y", x.Y)
		}
	}
	// Output:
	// X [99 97 116] Y [99 116]
	// X [97 116] Y [97 116]
	// X anything Y [99 116]
	// X anything Y [97 116]
	// X [99 97 116] Y anything
	// X [97 116] Y anything
}

// Data that do not fit in memory stay in files, any number of them, and are read again in each
// iteration.
func ExampleLines() {
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for i, text := range []string{"H\nT\nH\n", "H\nH\n"} { // tosses of a coin
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("part-", i)), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	machine := fst.OneState(params.Space(), expr.One,
		fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 2, Out: 2, Weight: coin.Weight(1)})

	files, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		log.Fatal(err)
	}
	stream := cascade.Lines(files, func(l cascade.Line) (cascade.Example, error) {
		side := strings.Index("HT", l.Text)
		if len(l.Text) != 1 || side < 0 {
			return cascade.Example{}, errors.New("want H or T")
		}
		return cascade.Example{Y: cascade.Labels(int32(side) + 1)}, nil
	})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}
	result, err := problem.Fit(context.Background(), cascade.Data{Stream: stream, CacheBytes: -1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.1f\n", result.Theta[0])
	// Output: heads 0.8
}

// Two witnesses: one heard that the word begins with R, the other that it has four letters.
func ExampleIntersect() {
	params := em.NewParams()
	alphabet := fst.RuneLabels("AMOR")
	first := cascade.Pattern(params, alphabet, 'R', cascade.AnyString)
	second := cascade.Pattern(params, alphabet, cascade.AnyLabel, cascade.AnyLabel, cascade.AnyLabel, cascade.AnyLabel)
	both := cascade.Intersect(params, first, second)
	letters := params.Group("letter", 4, em.Multinomial{})
	var arcs []fst.Arc[expr.W]
	for i, c := range alphabet {
		arcs = append(arcs, fst.Arc[expr.W]{In: c, Out: c, Weight: letters.Weight(i)})
	}
	machine := fst.OneState(params.Space(), expr.One, arcs...)
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Likelihood(cascade.Data{Examples: []cascade.Example{{X: both}}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := likelihood.Expect(context.Background(), em.Query{Theta: params.Start()})
	if err != nil {
		log.Fatal(err)
	}
	// Of four letters with four possibilities each, one is known.
	fmt.Printf("%.2f\n", math.Exp(e.LogLikelihood))
	// Output: 0.25
}

// Train on the derivations within a beam, with bounds of the loss: the full log likelihood lies
// between two bounds, for each example and for all together.
func ExamplePruning() {
	var arcs []fst.Arc[float64]
	for in := range int32(4) { // 0 is ε
		for out := range int32(4) {
			if w := .02; in != 0 || out != 0 {
				if in == out {
					w = .24
				}
				arcs = append(arcs, fst.Arc[float64]{In: in, Out: out, Weight: w})
			}
		}
	}
	plain := fst.OneState(semiring.Real{}, .1, arcs...)
	params := em.NewParams()
	edits := cascade.Joint(params, "edits", plain, em.Dirichlet{Alpha: 1.5})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{edits}}
	data := []cascade.Example{
		{X: cascade.Labels(1, 2, 3, 1), Y: cascade.Labels(1, 2, 1), Name: "first"},
		{X: cascade.Labels(3, 3, 2, 1, 2), Y: cascade.Labels(3, 2, 2, 2), Name: "second"},
	}
	for _, beam := range []float64{.2, .02, 1e-4} {
		part, err := problem.Likelihood(cascade.Data{Examples: data, Pruning: &cascade.Pruning{Beam: beam}})
		if err != nil {
			log.Fatal(err)
		}
		r, err := em.Fit(context.Background(), part, &em.Options{ChooseEvery: 1, Iterations: 4, Tolerance: -1})
		if err != nil {
			log.Fatal(err)
		}
		e, err := part.Expect(context.Background(), em.Query{Theta: r.Theta, Choose: true, Bounds: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("beam %g: %.2f to %.2f;", beam, e.LogLikelihood, e.LogLikelihood+e.Gap)
		for _, x := range e.Bounds {
			fmt.Printf(" %s %.2f to %.2f", x.Name, x.Lower, x.Upper)
		}
		fmt.Println()
	}
	// Output:
	// beam 0.2: -21.65 to -21.35; first -9.82 to -9.70 second -11.83 to -11.65
	// beam 0.02: -21.77 to -21.61; first -9.87 to -9.81 second -11.90 to -11.80
	// beam 0.0001: -21.86 to -21.86; first -9.93 to -9.93 second -11.93 to -11.93
}
