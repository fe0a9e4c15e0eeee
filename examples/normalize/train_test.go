package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// compiled are grammars that tests may change.
var compiled = [...]func() (*grammar, error){
	sync.OnceValues(func() (*grammar, error) { return load(writtenSpoken) }),
	sync.OnceValues(func() (*grammar, error) { return load(spokenWritten) }),
}

// contextual returns a grammar whose contexts have these words, at its default parameters.
func contextual(t testing.TB, d direction, words ...string) *grammar {
	t.Helper()
	g, err := compiled[d]()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.addContexts(words); err != nil {
		t.Fatal(err)
	}
	if err := g.use(g.params.Start()); err != nil {
		t.Fatal(err)
	}
	return g
}

// A line with marks weighs what the words before its marks, and those behind the tokens that they
// begin, say of their kinds.
func TestMarks(t *testing.T) {
	p := em.NewParams()
	c := newContexts(p, []string{"at", "in"}, []string{"a", "b"}, 1)
	theta := p.Start()
	for i := range theta {
		theta[i] = float64(1+i*i%13) / 8
	}
	strength := func(group, word, kind string) float64 {
		for i := range p.Len() {
			if p.Name(int32(i)) == parameter(group, word+"_"+kind) {
				return theta[i]
			}
		}
		return 0
	}
	line := "at x in at in"
	f, err := marks(c, c.costs(theta), fst.RuneLabels(line))
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"a", "b"}
	// Words by definition: of the line up to a place, and from it on.
	last := func(text string) string {
		if text == "" || !strings.HasSuffix(text, " ") {
			return text + "no word"
		}
		return text[strings.LastIndex(" "+text[:len(text)-1], " ") : len(text)-1]
	}
	weight := func(places []int, of []string) float64 {
		sum := 0.0
		for i, place := range places {
			word := last(line[:place])
			if place == 0 {
				word = ""
			}
			sum -= strength(beforeGroup, word, of[i])
			end := len(line)
			if i+1 < len(places) {
				end = places[i+1]
			}
			next, _, _ := strings.Cut(line[end:], " ")
			if end > 0 && end < len(line) && line[end-1] != ' ' {
				next = "no word"
			}
			sum -= strength(afterGroup, next, of[i])
		}
		return sum
	}
	n := 0
	for i := range line {
		for j := i; j < len(line); j++ {
			for k := range 4 {
				of := []string{kinds[k/2], kinds[k%2]}
				places := []int{i, j}
				if i == j {
					places, of = places[:1], of[:1]
				}
				var labels []int32
				for at, r := range line {
					if n := slices.Index(places, at); n >= 0 {
						labels = append(labels, firstMark+int32(slices.Index(kinds, of[n])))
					}
					labels = append(labels, r)
				}
				got, err := fst.Weight(f, labels, labels, nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := weight(places, of); math.Abs(float64(got)-want) > 1e-12 {
					t.Fatalf("marks %v at %v: cost %g, want %g", of, places, float64(got), want)
				}
				n++
			}
		}
	}
	if n != 2*13*14 {
		t.Errorf("%d ways", n)
	}
}

// The objective of training is the sum of the logarithms of what the expected readings have of the
// probabilities of all readings, counted path by path.
func TestObjective(t *testing.T) {
	g := contextual(t, spokenWritten, "room", "at")
	theta := g.params.Start()
	for i := range g.contexts.before.Len() {
		g.contexts.before.In(theta)[i] = float64(i%7) / 4
	}
	machine, err := cascade.Instantiate(g.params, g.trainable, theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	strengths := weights[float64]{ring: semiring.Real{}}
	for i := range g.contexts.before.Len() {
		strengths.before = append(strengths.before, math.Exp(g.contexts.before.In(theta)[i]))
		strengths.after = append(strengths.after, math.Exp(g.contexts.after.In(theta)[i]))
	}
	for _, x := range []example{
		{direction: spokenWritten, input: "room two thirty", expected: "room 230"},
		{direction: spokenWritten, input: "at two thirty", expected: "at 02:30"},
		{direction: spokenWritten, input: "a second", expected: "a second"},
	} {
		input, err := marks(g.contexts, strengths, g.encode(x.input))
		if err != nil {
			t.Fatal(err)
		}
		lattice, err := fst.Connect(fst.Compose(input, machine), nil)
		if err != nil {
			t.Fatal(err)
		}
		right, all, readings := 0.0, 0.0, map[string]bool{}
		for p := range lattice.Paths() {
			if decode(p.Out) == x.expected {
				right += p.Weight
			}
			all += p.Weight
			readings[decode(p.Out)] = true
		}
		l, err := g.likelihood([]example{x})
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.Expect(t.Context(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Log(right / all); !(math.Abs(e.LogLikelihood-want) <= 1e-9) || len(readings) < 2 {
			t.Errorf("%s: objective %g, want %g from %d readings", x.input, e.LogLikelihood, want, len(readings))
		}
	}
}

// Words around numbers are learnt from some lines and hold for others.
func TestTraining(t *testing.T) {
	all, err := ambiguous()
	if err != nil {
		t.Fatal(err)
	}
	var known, held []example
	for i, x := range all {
		if x.direction != spokenWritten {
			continue
		}
		if i%3 == 0 {
			held = append(held, x)
		} else {
			known = append(known, x)
		}
	}
	g := contextual(t, spokenWritten, contextWords(known, spokenWritten, 12)...)
	right := func() (n int) {
		for _, x := range held {
			readings, err := g.Apply(x.input, 1)
			if err != nil {
				t.Fatal(err)
			}
			if readings[0].text == x.expected {
				n++
			}
		}
		return n
	}
	before := right()
	result, err := g.train(t.Context(), known, em.Options{Iterations: 10})
	if err != nil {
		t.Fatal(err)
	}
	after := right()
	if len(result.Skipped) > 0 || !slices.IsSorted(result.Objective) || after < before+5 || after < len(held)*4/5 {
		t.Errorf("objective %.4g; %d of %d held-out lines are right, before %d; skipped %v", result.Objective, after, len(held), before, result.Skipped)
	}

	// What was saved and loaded reads the same.
	var text bytes.Buffer
	if err := saveParameters(&text, []*grammar{g}); err != nil {
		t.Fatal(err)
	}
	h, err := load(spokenWritten)
	if err != nil {
		t.Fatal(err)
	}
	if err := loadFrom(h, text.String()); err != nil {
		t.Fatal(err)
	}
	for _, x := range held {
		want, _ := g.Apply(x.input, 2)
		if got, err := h.Apply(x.input, 2); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, %v, want %v", x.input, got, err, want)
		}
	}
	text.Reset()
	h = contextual(t, spokenWritten)
	if err := saveParameters(&text, []*grammar{grammarOf(t, spokenWritten)}); err != nil {
		t.Fatal(err)
	}
	whole := text.String()
	body, _, _ := strings.Cut(whole, end+"\t")
	n := strings.Count(body, "\n")
	ended := func(body string, n int) string { return fmt.Sprintf("%send\tparameters\t%d\n", body, n) }
	if ended(body, n) != whole {
		t.Fatalf("%q", whole)
	}
	const more = "spoken-written\tx[y]\t1\n"
	for _, bad := range []struct{ text, want string }{
		{"", "no end behind 0 parameters"},
		{body, "no end"},
		{body[:len(body)/2], ""},
		{ended("", 0), "no value of"},
		{ended(body, n+1), "behind"},
		{whole + more, "behind the end"},
		{ended(body+more, n+1), "does not have"},
		{ended(body+body, 2*n), "comes twice"},
		{strings.Replace(whole, "\t0.", "\t7", 1), "bad parameter"},
		{"spoken-written\tx[y]\tz\n", "want a number"},
	} {
		if err := loadFrom(h, bad.text); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v, want %s", err, bad.want)
		}
	}
}

// loadFrom makes g use what was saved in a text.
func loadFrom(g *grammar, text string) error {
	saved, err := readParameters(strings.NewReader(text))
	if err != nil {
		return err
	}
	return g.load(saved)
}

// Marks of a tape tell what a path uses, and nothing else changes.
func TestMarked(t *testing.T) {
	g := grammarOf(t, spokenWritten)
	probabilities, kinds := g.kinds()
	if len(kinds) < 2 || !slices.Contains(kinds, "word") {
		t.Fatalf("kinds %q", kinds)
	}
	m, err := marked(g.params.Space(), g.model, probabilities, fst.Input)
	if err != nil {
		t.Fatal(err)
	}
	in := fst.RuneLabels("room two")
	word, cardinal := firstMark+int32(slices.Index(kinds, "word")), firstMark+int32(slices.Index(kinds, "cardinal"))
	in = slices.Insert(in, 5, cardinal)
	in = slices.Insert(in, 0, word)
	weight := func(f *fst.FST[expr.W], in []int32, out string) float64 {
		r, err := cascade.Instantiate(g.params, f, g.params.Start(), semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := fst.Weight(r, in, fst.RuneLabels(out), nil)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	got, want := weight(m, in, "room 2"), weight(g.model, fst.RuneLabels("room two"), "room 2")
	if !(got > 0) || got > want*(1+1e-9) {
		t.Errorf("weight %g with marks, %g of all kinds", got, want)
	}
	in[0] = cardinal
	if got := weight(m, in, "room 2"); got != 0 {
		t.Errorf("weight %g of a cardinal that is a word", got)
	}
}

// A part of the folds has its share of every kind.
func TestFold(t *testing.T) {
	var all []example
	for i := range 40 {
		all = append(all, example{kind: fmt.Sprint(i % 4)})
	}
	count := map[string]int{}
	for i, part := range fold(all, 5, bytesSource{}) {
		count[fmt.Sprint(all[i].kind, " ", part)]++
	}
	if len(count) != 20 {
		t.Fatal(count)
	}
	for key, n := range count {
		if n != 2 {
			t.Errorf("%s: %d", key, n)
		}
	}
}

// bytesSource is no randomness.
type bytesSource struct{}

func (bytesSource) Uint64() uint64 { return 1 << 62 }

// The program goes on with training where it was interrupted, and cross-validates.
func TestTrainProgram(t *testing.T) {
	if os.Getenv("PATHSUM_LONG") == "" {
		t.Skip("four runs that train both grammars; PATHSUM_LONG=1 makes them")
	}
	data := programtest.File(t, "data.tsv", "spoken-written\tword\twait\twait\nwritten-spoken\tword\twait\twait\n")
	curve := filepath.Join(t.TempDir(), "curve.svg")
	whole, part, rest := programtest.Resume[figures](t, run, "training 2/", "-train", "-iterations", "3", "-words", "1", "-data", data, "-apply", data, "-inverse", "-curve", curve)
	if whole.Status == "" || part.Status != "canceled" || len(rest.Objective) != len(whole.Objective) {
		t.Errorf("%+v\n%+v\n%+v", whole, part, rest)
	}
	programtest.Figure(t, curve, "spoken-written")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-folds", "2", "-iterations", "1", "-words", "1", "-data", data)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	for _, o := range programtest.Report[figures](t, out).Outcomes {
		if o.Kind == "word" && (o.Lines != 1 || o.Trained != 1) {
			t.Errorf("%+v", o)
		}
	}
	if status, _ := run(t.Context(), io.Discard, "-folds", "1"); status != 2 {
		t.Errorf("status %d with one fold", status)
	}
}
