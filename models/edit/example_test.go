package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// Which letters are misspelt as which is learnt from misspelt words alone.
func Example() {
	ctx := context.Background()
	misspelt := [][2]string{{"fone", "phone"}, {"fish", "fish"}, {"graf", "graph"}, {"rong", "wrong"}, {"ring", "ring"}}
	alphabet := []rune("aefghinoprsw")
	m, err := edit.NewConditional(alphabet, alphabet, em.Dirichlet{Alpha: 1.01})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(ctx, cascade.Pairs(misspelt), nil); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	best, err := p.Best([]rune("gif"), []rune("giph"))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range best.Edits {
		fmt.Printf("%c:%c ", max(e.Source, '_'), max(e.Target, '_'))
	}
	fmt.Printf("%.1f nats\n", best.LogProb)
	// Output: g:g i:i f:p _:h -3.7 nats
}

// alphabet is the letters of the examples, whose labels are their code points.
var alphabet = fst.RuneLabels("abcdefghijklmnopqrstuvwxyz")

// misspelt are words and how they are misspelt.
var misspelt = cascade.Pairs([][2]string{
	{"phone", "fone"}, {"graph", "graf"}, {"fish", "fish"}, {"hat", "hat"}, {"pan", "pan"}, {"their", "thier"}, {"chief", "cheif"},
})

// conditional returns a model of misspelling that was trained on a few words.
func conditional() *edit.Model {
	m, err := edit.NewConditional(alphabet, alphabet, em.Dirichlet{Alpha: 1.01})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), misspelt, nil); err != nil {
		log.Fatal(err)
	}
	return m
}

// Which words may “foto” be? Best first, by how probable it is that a word is spelt so, times its
// weight: a common word has more than 1.
func ExampleNewCorrector() {
	lexicon := edit.Words("fish", "hat", "photo", "pot", "that")
	lexicon[4].Weight = 5
	corrector, err := edit.NewCorrector(conditional(), lexicon, nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := corrector.Best(context.Background(), []rune("foto"), 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range best {
		fmt.Println(c.Text())
	}
	// Output:
	// photo
	// pot
}

// How probable is each? All words are looked at, so the residual string to 1 is that of other words.
func ExampleCorrector_Posteriors() {
	corrector, err := edit.NewCorrector(conditional(), edit.Words("fish", "hat", "photo", "pot", "that"), nil)
	if err != nil {
		log.Fatal(err)
	}
	list, err := corrector.Posteriors(context.Background(), []rune("fat"), 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		fmt.Printf("%s %.2f\n", c.Text(), c.Prob())
	}
	// Output:
	// pot 0.63
	// hat 0.19
}

// The same without a model: the words that are the fewest edits away.
func ExampleNewNearest() {
	list := []string{"fish", "hat", "photo", "pot", "that"}
	nearest, err := edit.NewNearest(edit.Words(list...))
	if err != nil {
		log.Fatal(err)
	}
	found, err := nearest.Best(context.Background(), []rune("pht"), 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range found {
		fmt.Println(list[n.Word], n.Distance)
	}
	// Output: pot 1
}

// How often is each edit expected, in all ways to make “fone” of “phone”?
func ExamplePredictor_Posteriors() {
	p, err := conditional().Predictor()
	if err != nil {
		log.Fatal(err)
	}
	posteriors, err := p.Posteriors([]rune("phone"), []rune("fone"))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range []edit.Edit{{Source: 'p', Target: 'f'}, {Source: 'p'}, {Source: 'h'}, {Source: 'o', Target: 'o'}} {
		fmt.Printf("%c:%c %.1f\n", max(e.Source, ' '), max(e.Target, ' '), posteriors[e])
	}
	// Output:
	// p:f 1.0
	// p:  0.0
	// h:  1.0
	// o:o 1.0
}

// A joint model of pairs: all edits, and the end, share one distribution.
func ExampleNewJoint() {
	m, err := edit.NewJoint([]int32{'a'}, []int32{'b'}, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), cascade.Pairs([][2]string{{"aa", "bb"}, {"a", "b"}, {"aaa", "bbb"}}), &em.Options{Start: []float64{.3, .1, .3, .3}}); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	logp, err := p.LogProb([]int32{'a'}, []int32{'b'})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a:b %.2f, P(a, b) = %.2f\n", p.Prob(edit.Edit{Source: 'a', Target: 'b'}), math.Exp(logp))
	// Output: a:b 0.67, P(a, b) = 0.22
}

// Edits of several symbols at once: what is written ph is said f.
func ExampleNewChunks() {
	chunk := func(source, target string) pairgram.Chunk {
		return pairgram.Chunk{Source: fst.RuneLabels(source), Target: fst.RuneLabels(target)}
	}
	m, err := edit.NewChunks([]pairgram.Chunk{chunk("ph", "f"), chunk("p", "p"), chunk("h", ""), chunk("o", "o"), chunk("p", "f")}, 0, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), cascade.Pairs([][2]string{{"pho", "fo"}, {"pop", "pop"}, {"oph", "of"}, {"hop", "op"}}), nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ph:f %.2f, p:f %.2f\n", m.Theta[0], m.Theta[4])
	// Output: ph:f 0.14, p:f 0.00
}

// Edits that depend on their neighbours: an e and an i change places behind h. The model
// knows of transpositions, and of the symbols beside.
func ExampleNewContextual() {
	var data []edit.Pair
	for _, p := range [][2]string{{"their", "thier"}, {"chief", "cheif"}, {"pie", "pie"}, {"heir", "hier"}} {
		data = append(data, edit.Pair{Source: []rune(p[0]), Target: []rune(p[1])})
	}
	m, err := edit.NewContextual([]rune("cefhinprt"), data, &edit.ContextOptions{MinCount: 1, Prior: 1})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	swapped, err := p.LogProb([]rune("hein"), []rune("hien"))
	if err != nil {
		log.Fatal(err)
	}
	kept, err := p.LogProb([]rune("hein"), []rune("hein"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rather swapped than kept:", swapped > kept)
	// Output: rather swapped than kept: true
}

// A model in a file.
func ExampleLoad() {
	m := conditional()
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		log.Fatal(err)
	}
	loaded, err := edit.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	p, err := loaded.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("p becomes f: %.1f\n", p.Prob(edit.Edit{Source: 'p', Target: 'f'}))
	// Output: p becomes f: 0.6
}

// Some words of the lexicon, ranked as corrections.
func ExampleCorrector_Rank() {
	corrector, err := edit.NewCorrector(conditional(), edit.Words("fish", "hat", "photo", "pot", "that"), nil)
	if err != nil {
		log.Fatal(err)
	}
	ranked, err := corrector.Rank(context.Background(), []rune("fis"), []int{2, 0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ranked[0].Text())
	// Output: fish
}

// A channel that writes f for p may have learnt nothing of slips. How probable any other letter is
// comes from a channel with a few features, and how much of each there is from pairs that
// neither has seen.
func ExampleNewMixture() {
	letters := []rune("fopt")
	train := cascade.Pairs([][2]string{{"pot", "fot"}, {"top", "tof"}, {"pop", "pof"}})
	mistakes, err := edit.NewConditional(letters, letters, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	slips, err := edit.NewFeatured(letters, letters, func(e edit.Edit) []em.Feature {
		switch {
		case e.Source == e.Target:
			return []em.Feature{{Name: "kept"}}
		case e.Source != fst.Epsilon && e.Target != fst.Epsilon:
			return []em.Feature{{Name: "replaced"}}
		}
		return nil
	}, em.LogLinearOptions{Sigma: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []*edit.Model{mistakes, slips} {
		if _, err := m.Fit(context.Background(), train, nil); err != nil {
			log.Fatal(err)
		}
	}
	both, err := edit.NewMixture(mistakes, slips)
	if err != nil {
		log.Fatal(err)
	}
	held := cascade.Pairs([][2]string{{"pot", "fot"}, {"top", "tpp"}, {"pop", "fof"}, {"opt", "oft"}})
	if _, err := both.Fit(context.Background(), held, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f mistakes, %.2f slips\n", both.Theta[0], both.Theta[1])
	// Output: 0.74 mistakes, 0.26 slips
}

// Words are heard, and nobody says which words they were: each is one of a dictionary. From
// that alone it is learnt that c sounds as s before e and i, and as k elsewhere.
func ExampleContextual_Fit_sources() {
	letters := fst.NewSymbols()
	spell := func(word string) []int32 {
		var s []int32
		for _, r := range word {
			s = append(s, letters.Add(string(r)))
		}
		return s
	}
	var words []edit.Pair // of which the contexts are counted
	var dictionary []fst.Path[semiring.ScaledFloat]
	for _, w := range []string{"cent", "cello", "cider", "cinema", "face", "race", "pencil", "recipe",
		"cat", "cold", "cut", "coma", "cart", "local", "focus", "record", "arcade", "bacon"} {
		s := spell(w)
		words = append(words, edit.Pair{Source: s})
		dictionary = append(dictionary, fst.Path[semiring.ScaledFloat]{In: s, Out: s, Weight: semiring.NewScaled(1)})
	}
	any, err := fst.Expand(fst.StringMap(semiring.Scaled{}, dictionary), nil)
	if err != nil {
		log.Fatal(err)
	}
	var heard []edit.Pair
	for _, w := range []string{"sent", "sello", "sider", "sinema", "fase", "rase", "pensil", "resipe",
		"kat", "kold", "kut", "koma", "kart", "lokal", "fokus", "rekord", "arkade", "bakon"} {
		heard = append(heard, edit.Pair{Sources: any, Target: spell(w)})
	}
	var alphabet []int32
	for l := range int32(letters.Len() - 1) {
		alphabet = append(alphabet, l+1) // 0 is ε
	}
	m, err := edit.NewContextual(alphabet, words, &edit.ContextOptions{Windows: []edit.Window{{}, {Left: 0, Right: 1}}, MinCount: 2, Prior: 1})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), heard, &em.Options{Iterations: 20}); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range [][2]string{{"ice", "ise"}, {"ice", "ike"}, {"cod", "kod"}, {"cod", "sod"}} {
		lp, err := p.LogProb(spell(c[0]), spell(c[1]))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s as %s: %.1f nats\n", c[0], c[1], lp)
	}
	// Output:
	// ice as ise: -0.2 nats
	// ice as ike: -2.3 nats
	// cod as kod: -0.2 nats
	// cod as sod: -2.5 nats
}
