package cascade_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// unigram returns the model of a text in which each letter is drawn by itself.
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

// Damaged inscriptions: of ROMA a letter is lost, of AMOR the end. What is lost has the
// frequencies of what is left, in which A occurs twice among five letters.
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

// Data that a function makes as they are needed: 1000 times the same two texts.
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

// Discriminative training: is a word (1: without an s at the end, 2: with one) a noun (3) or a
// verb (4)? Of four words with an s one is a verb. How frequent such words are does not matter.
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

// Words as they are written and typed, what was typed alone, and the words alone: which side a
// text is on says whether a model reads or writes it.
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
