package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/semiring"
)

// .github/PEERS.md shows the code after the line “// README” in these Examples, next to the code
// of users of other programs. It leaves out the checks of errors.

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

// files writes files into a new folder, where the program goes on until back is called.
func files(texts map[string]string) (back func()) {
	home, dir := must(os.Getwd()), must(os.MkdirTemp("", "pathsum-readme-"))
	for name, text := range texts {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	return func() {
		if err := os.Chdir(home); err != nil {
			log.Fatal(err)
		}
		os.RemoveAll(dir)
	}
}

var machines = map[string]string{
	"letters.txt": "<eps> 0\na 1\nc 2\nt 3\n",
	"words.txt":   "0 1 c c\n1 2 a a\n2 3 t t 0.5\n0 4 a a\n4 5 c c\n5 3 t t 1\n3\n",
	"typist.txt":  "0 0 a a\n0 0 c c\n0 0 t t\n0 0 a <eps> 2\n0 0 c <eps> 2\n0 0 t <eps> 2\n0\n",
}

func Example_openFst() {
	defer files(machines)()

	// README
	letters, err := fstio.ReadSymbolsFile("letters.txt")
	if err != nil {
		log.Fatal(err)
	}
	form := &fstio.Options{In: letters, Out: letters}
	words, err := fstio.ReadTextFile("words.txt", semiring.Tropical{}, form)
	if err != nil {
		log.Fatal(err)
	}
	typist, err := fstio.ReadTextFile("typist.txt", semiring.Tropical{}, form)
	if err != nil {
		log.Fatal(err)
	}
	best, err := fst.ShortestPaths(fst.Compose(words, typist), 3, nil)
	if err != nil {
		log.Fatal(err)
	}
	err = fstio.WriteText(os.Stdout, best, form)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0	1	c	c
	// 0	4	a	a
	// 1	2	a	a
	// 1	7	a	<eps>	2
	// 2	3	t	t	0.5
	// 3
	// 4	5	c	c
	// 5	6	t	t	1
	// 6
	// 7	8	t	t	0.5
	// 8
}

func Example_pynini() {
	// README
	compiler := rx.NewCompiler(semiring.Tropical{}, fst.RuneSymbols("a-z"))
	err := compiler.Load(`
final = (b:p | d:t | g:k) / __ $;
plural = s:z / [bdgmn] __ $;
rule = @final >> @plural;`)
	if err != nil {
		log.Fatal(err)
	}
	rule, err := compiler.Machine("rule")
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range []string{"bad", "dogs"} {
		best, err := fst.BestText(rule, word, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(best.Text)
	}
	// Output:
	// bat
	// dogz
}

func Example_carmel() {
	defer files(machines)()
	letters := must(fstio.ReadSymbolsFile("letters.txt"))
	form := &fstio.Options{In: letters, Out: letters}
	words := must(fstio.ReadTextFile("words.txt", semiring.Real{}, form))
	typist := must(fstio.ReadTextFile("typist.txt", semiring.Real{}, form))
	var data cascade.Data
	for _, text := range []string{"cat", "ct", "act", "cat", "ca"} {
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Labels(must(letters.EncodeRunes(text))...)})
	}

	// README
	params := em.NewParams()
	language := cascade.Joint(params, "words", words, em.Multinomial{})
	channel := cascade.Conditional(params, "typist", typist, em.Multinomial{})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{language, channel}}
	result, err := problem.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	trained, err := cascade.Instantiate(params, language, result.Theta, semiring.Real{})
	if err != nil {
		log.Fatal(err)
	}
	for path := range trained.Paths() {
		word, err := letters.DecodeRunes(path.In)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f\n", word, path.Weight)
	}
	// Output:
	// cat 0.75
	// act 0.25
}

func Example_hmmlearn() {
	var data []hmm.Sequence[[]float64]
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		var s hmm.Sequence[[]float64]
		for t := range 30 {
			s.Observations = append(s.Observations, []float64{float64(t/10%2)*5 + rng.NormFloat64()})
		}
		data = append(data, s)
	}

	// README
	params := em.NewParams()
	emission, err := hmm.NewGaussian(params, "x", hmm.Each(2), em.NewGaussian(1))
	if err != nil {
		log.Fatal(err)
	}
	model, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, emission)
	if err != nil {
		log.Fatal(err)
	}
	err = hmm.StartKMeans(model, data, rand.NewPCG(1, 1))
	if err != nil {
		log.Fatal(err)
	}
	_, err = model.Fit(context.Background(), data, &em.Options{Iterations: 100})
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := model.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	states, _, err := predictor.Best(data[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(states)
	// Output:
	// [0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0]
}

func Example_crfsuite() {
	sentences := [][2]string{
		{"the fish swims", "D N V"}, {"they fish", "P V"}, {"they swim here", "P V A"},
		{"a boat rocks", "D N V"}, {"the rocks fall", "D N V"}, {"they fall here", "P V A"},
	}

	// README
	features := func(words []string) crf.Features {
		return func(t int, a *crf.Attributes) {
			a.Add("word=", words[t])
			a.Add("ending=", words[t][max(0, len(words[t])-2):])
		}
	}
	data := crf.NewData()
	for _, s := range sentences {
		err := data.Add(strings.Fields(s[1]), features(strings.Fields(s[0])))
		if err != nil {
			log.Fatal(err)
		}
	}
	model, err := crf.New(crf.Chain, data, em.LogLinearOptions{Sigma: 2})
	if err != nil {
		log.Fatal(err)
	}
	_, err = model.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := model.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	words := strings.Fields("the fish rocks")
	tags, err := predictor.Best(len(words), features(words))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tags)
	// Output:
	// [D N V]
}

const sprinkler = `
variable rain      { type discrete [ 2 ] { yes, no }; }
variable sprinkler { type discrete [ 2 ] { on, off }; }
variable grass     { type discrete [ 2 ] { wet, dry }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( sprinkler | rain ) { (yes) 0.01, 0.99; (no) 0.4, 0.6; }
probability ( grass | sprinkler, rain ) {
  (on, yes) 0.99, 0.01; (on, no) 0.9, 0.1; (off, yes) 0.8, 0.2; (off, no) 0, 1;
}`

func Example_pgmpy() {
	text := sprinkler

	// README
	network, err := bayes.ReadBIF(strings.NewReader(text), "asia.bif")
	if err != nil {
		log.Fatal(err)
	}
	p, err := network.P("rain", "yes", map[string]string{"grass": "wet"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", p)
	// Output:
	// 0.3577
}
