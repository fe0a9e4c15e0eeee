package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// savedModel returns a trained model with all laws, symbols, branches, several starts and weights
// that are not single parameters.
func savedModel(t testing.TB) *cascade.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 6))
	params := em.NewParams()
	g := params.Group("group", 3, em.Dirichlet{Alpha: 1.5})
	fixed := params.Group("fixed", 2, em.Fixed{Values: []float64{.1, .3}})
	params.Group("posterior", 2, em.Variational{Alpha: .1})
	normal := em.NewGaussian(2, 1)
	normal.Prior = em.GaussianPrior{Weight: 1, Mean: []float64{.1, .2, .3}}
	params.Group("normal", normal.Len(), normal)
	g.SetNames(func(i int) string { return []string{"ä", "b\tc", ""}[i] })
	b := fst.NewBuilder(semiring.Boolean{})
	b.AddStates(2)
	b.AddStart(0, true)
	b.SetFinal(1, true)
	b.SetSymbols(fst.NewSymbols("x", "y z"), nil)
	for i := range int32(2) {
		b.AddArc(0, fst.Arc[bool]{In: i + 1, Out: i, Weight: true, To: i})
		b.AddArc(1, fst.Arc[bool]{In: i + 1, Out: 1, Weight: true, To: 1})
	}
	plain, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	features := func(_ int32, a *fst.Arc[bool]) []em.Feature {
		if a == nil {
			return []em.Feature{{Name: "stop"}}
		}
		return []em.Feature{{Name: "arc"}, {Name: string(rune('a' + a.In)), Value: em.Times(.5)}}
	}
	logLinear := cascade.JointLogLinear(params, "features", plain, features, em.LogLinearOptions{Sigma: 2, Step: em.Partial{Steps: 3}})
	random := randomMachine(t, params, g, rng, 3, 9)
	m := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{random, logLinear},
		Branches: [][]cascade.Stage{{randomMachine(t, params, fixed, rng, 2, 4)}}})
	m.Theta = params.Random(rng)
	return &m
}

func save(t testing.TB, m *cascade.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSave: a model that was saved and loaded has the same parameters, names and text, and gives
// the same likelihood and counts up to rounding.
func TestSave(t *testing.T) {
	m := savedModel(t)
	text := save(t, m)
	got, err := cascade.Load(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := save(t, got); again != text {
		t.Errorf("saved again it is\n%s\nbut was\n%s", again, text)
	}
	if !slices.Equal(got.Theta, m.Theta) || !slices.Equal(got.Params.Start(), m.Theta) {
		t.Error("other parameters")
	}
	for i := range int32(m.Params.Len()) {
		if a, b := got.Params.Name(i), m.Params.Name(i); a != b {
			t.Errorf("parameter %d is called %q, was %q", i, a, b)
		}
	}
	for i, f := range m.Stages {
		in, out := fst.SymbolsOf(f)
		if gotIn, gotOut := fst.SymbolsOf(got.Stages[i]); !in.Equal(gotIn) || !out.Equal(gotOut) {
			t.Errorf("machine %d has other symbols", i)
		}
	}
	var data cascade.Data
	data.Underivable = em.Skip
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(randomLabels(rng, 3)...), Branches: []cascade.Side{cascade.Labels(randomLabels(rng, 2)...)}})
	}
	expect := func(m *cascade.Model) *em.Expectations {
		l := likelihood(t, m.Problem, data)
		e, err := l.Expect(context.Background(), em.Query{Theta: m.Theta})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	a, b := expect(m), expect(got)
	if math.Abs(a.LogLikelihood-b.LogLikelihood) > 1e-12 || len(a.Skipped) == 20 {
		t.Errorf("log likelihood %.17g, was %.17g", b.LogLikelihood, a.LogLikelihood)
	}
	for i, c := range a.Counts {
		if math.Abs(c-b.Counts[i]) > 1e-12 {
			t.Errorf("count %d is %.17g, was %.17g", i, b.Counts[i], c)
		}
	}
}

// ownLaw is a law of another package.
type ownLaw struct {
	em.Multinomial
	Number float64
}

func TestRegisterLaw(t *testing.T) {
	m := savedModel(t)
	m.Params.Group("own", 2, ownLaw{Number: .1})
	m.Theta = append(m.Theta, .5, .5)
	var b bytes.Buffer
	if err := m.Save(&b); !errors.Is(err, em.ErrFormat) {
		t.Errorf("not registered: error %v", err)
	}
	em.RegisterLaw("own", ownLaw{})
	got, err := cascade.Load(strings.NewReader(save(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	groups := got.Params.Groups()
	if law, ok := groups[len(groups)-1].Law().(ownLaw); !ok || law.Number != .1 {
		t.Errorf("law %+v", groups[len(groups)-1].Law())
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	em.RegisterLaw("own", ownLaw{})
}

func TestBadModelFile(t *testing.T) {
	text := save(t, savedModel(t))
	swap := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in %s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for says, bad := range map[string]string{
		"EOF":                      "",
		"format":                   `{"format":"other"}`,
		"unexpected EOF":           text[:len(text)/2],
		"unknown kind":             swap(`"kind":"dirichlet"`, `"kind":"dirac"`),
		"dirichlet":                swap(`"kind":"dirichlet","value":{`, `"kind":"dirichlet","value":7,"x":{`),
		"group 0 (group): no law":  swap(`"law":{"kind":"dirichlet"`, `"flaw":{"kind":"dirichlet"`),
		"group 0 (group): 2 names": swap(`"names":["ä",`, `"names":[`),
		"expression 0":             swap(`"weights":["`, `"weights":["&`),
		"expression 1":             swap(`"weights":["`, `"weights":["1","@1",`+"\""),
		"want 1 strengths":         `{"format":"pathsum model 1","groups":[{"law":{"kind":"loglinear","value":{"strengths":1,"step":{"kind":"partial","value":{"Steps":1}}}}}]}`,
		"null":                     swap(`"kind":"loglinear","value":{`, `"kind":"loglinear","value":null,"x":{`),
		"machine 0 of the cascade": swap(`"starts":[[0,`, `"starts":[[7,`),
		"Stages is empty":          swap(`"cascade":[{`, `"x":[{`),
	} {
		_, err := cascade.Load(strings.NewReader(bad))
		if !errors.Is(err, em.ErrFormat) {
			t.Errorf("error %v, want ErrFormat", err)
		}
		wantIn(t, err, says)
	}
	m := savedModel(t)
	m.Theta[0] = -1
	if err := m.Save(new(bytes.Buffer)); !errors.Is(err, em.ErrParameter) {
		t.Errorf("illegal parameters: error %v", err)
	}
}

// FuzzLoad: Load does not panic on any text, and every model that it accepts can be saved.
func FuzzLoad(f *testing.F) {
	text := save(f, savedModel(f))
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add(oldModel(f))
	f.Add(save(f, layers(f, 4)))
	f.Add(`{"format":"pathsum model 1","groups":[{"name":"","law":{"kind":"fixed","value":{}},"theta":[1]}],"weights":["$0"],"cascade":[{"starts":[[0,0]],"final":[0],"arcs":[]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var m *cascade.Model
		var err error
		memtest.Bound(t, len(text), 2000, func() { m, err = cascade.Load(strings.NewReader(text)) })
		if err != nil {
			return
		}
		if err := m.Save(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}

// layers returns a globally normalized model of strings of the given length, whose machine has
// two states per layer. The path sum up to a state uses both states of the previous layer, so
// that it doubles with each layer if it is written as a tree.
func layers(t testing.TB, depth int) *cascade.Model {
	t.Helper()
	params := em.NewParams()
	g := params.Group("g", 8, em.Fixed{Values: []float64{.9, .2, .3, .4, .5, .6, .7, .8}})
	b := fst.NewBuilder(params.Space())
	b.AddStates(2 * depth)
	for i := range int32(2) {
		b.AddStart(i, g.Weight(int(i)))
		b.SetFinal(int32(2*depth-2)+i, g.Weight(2+int(i)))
		for layer := range int32(depth - 1) {
			for j := range int32(2) {
				b.AddArc(2*layer+i, arc(1+j, 1+i, g.Weight(int(4+2*i+j)), 2*layer+2+j))
			}
		}
	}
	f := cascade.Normalize(freeze(t, b))
	m := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	return &m
}

// TestSaveShared: the size of a file is proportional to the machine, and the loaded model has the
// same likelihood to the last bit.
func TestSaveShared(t *testing.T) {
	for _, depth := range []int{22, 30, 300} {
		m := layers(t, depth)
		text := save(t, m)
		if len(text) > 1000+200*depth {
			t.Errorf("depth %d: %d bytes", depth, len(text))
		}
		t.Logf("depth %d: %d bytes", depth, len(text))
		got, err := cascade.Load(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if again := save(t, got); again != text {
			t.Errorf("depth %d: saved again it is another text", depth)
		}
		x := make([]int32, depth-1)
		for i := range x {
			x[i] = 1 + int32(i%2)
		}
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(x...)}}}
		want, have := expectAt(t, m, data), expectAt(t, got, data)
		if have.LogLikelihood != want.LogLikelihood || !slices.Equal(have.Counts, want.Counts) || want.LogLikelihood >= 0 {
			t.Errorf("depth %d: log likelihood %.17g, was %.17g", depth, have.LogLikelihood, want.LogLikelihood)
		}
	}
}

func expectAt(t testing.TB, m *cascade.Model, data cascade.Data) *em.Expectations {
	t.Helper()
	e, err := likelihood(t, m.Problem, data).Expect(context.Background(), em.Query{Theta: m.Theta})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// oldModel is a file of the format 1, whose weights are trees. Its machine, normalized,
// goes from state 0 to 1 and 2 by b (label 2 to 1) and c (1 to 1), with a loop a (1 to 2)
// at both.
func oldModel(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/model1.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLoadOldModel(t *testing.T) {
	text := oldModel(t)
	if !strings.Contains(text, `"pathsum model 1"`) {
		t.Fatal("the file is no longer old")
	}
	m, err := cascade.Load(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	e := expectAt(t, m, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 2, 1)}, {X: cascade.Labels(2, 1)}}})
	const a, b, c = .25, .3, .06
	z := math.Pow((b+c)/(1-a), 2)
	if want := math.Log(a*b*c/z) + math.Log(b*c/z); math.Abs(e.LogLikelihood-want) > 1e-12 {
		t.Errorf("log likelihood %.17g, want %.17g", e.LogLikelihood, want)
	}
	again, err := cascade.Load(strings.NewReader(save(t, m)))
	if err != nil || !slices.Equal(again.Theta, m.Theta) {
		t.Errorf("saved in the new format: %v", err)
	}
}

// TestLoadMemory: references take memory in proportion to the text.
func TestLoadMemory(t *testing.T) {
	const n = 4000
	rows := []string{`"$0`}
	for p := 1; p < n; p++ {
		rows[0] += fmt.Sprint("*$", p)
	}
	rows[0] += `"`
	for i := range n {
		rows = append(rows, fmt.Sprintf(`"@%d*$%d"`, i, i))
	}
	text := fmt.Sprintf(`{"format":"pathsum model 2","groups":[{"name":"g","law":{"kind":"fixed","value":{}},"theta":[%s1]}],`+
		`"weights":[%s],"cascade":[{"starts":[[0,0]],"final":[0],"arcs":[]}]}`, strings.Repeat("1,", n-1), strings.Join(rows, ","))
	memtest.Bound(t, len(text), 400, func() { cascade.Load(strings.NewReader(text)) })
}
