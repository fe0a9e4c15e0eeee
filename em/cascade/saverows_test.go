package cascade_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/memtest"
)

// layers returns a globally normalized model of strings of the given length, whose machine
// has two states per layer: the path sum up to a state uses both of the layer before, so
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

// TestSaveShared: a file is in proportion to the machine, and what is read from it has the
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

// TestLoadMemory: references take no memory out of proportion to the text.
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
