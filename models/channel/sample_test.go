package channel_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring"
)

// TestSample: strings come as often as Posteriors says, on each side, whatever is known, and with
// cycles where the channel inserts.
func TestSample(t *testing.T) {
	p := em.NewParams()
	letters := func(name string, empty bool) em.Stage {
		var arcs []fst.Arc[bool]
		for in := int32(0); in <= 2; in++ {
			for out := int32(1); out <= 2; out++ {
				if in > 0 || empty {
					arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
				}
			}
		}
		return must(em.Conditional(p, name, must(fst.OneState(semiring.Boolean{}, true, arcs...)), em.Multinomial{}))
	}
	source := must(em.Joint(p, "source", must(fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 1, Out: 1, Weight: true}, fst.Arc[bool]{In: 2, Out: 2, Weight: true})), em.Multinomial{}))
	m := channel.New(p, source, letters("first", false), letters("second", true))
	m.Theta = p.Random(fsttest.Rand(5))
	d := must(m.Predictor(nil))
	src := rand.NewPCG(1, 2)
	const n = 20_000
	for _, q := range []channel.Query{{}, {Source: []int32{1, 2}}, {Target: []int32{2, 1, 1}}, {Source: []int32{2}, Target: []int32{1, 2}}} {
		for _, side := range []channel.Side{channel.Source, channel.Between(2), channel.Target} {
			often := map[string]int{}
			for _, s := range must(d.Sample(q, side, n, src)) {
				often[fmt.Sprint(s)]++
			}
			for _, c := range must(d.Posteriors(q, side, 5)) {
				got, want := float64(often[fmt.Sprint(c.Labels)])/n, c.Prob()
				if math.Abs(got-want) > 6*math.Sqrt(want*(1-want)/n)+1e-9 {
					t.Errorf("%+v: %v %v was drawn with frequency %.4f, want %.4f", q, side, c.Labels, got, want)
				}
			}
		}
	}
	if _, err := d.Sample(channel.Query{Source: []int32{1, 2}, Target: []int32{}}, channel.Between(1), 1, src); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("of a pair that cannot be: %v", err)
	}
	if _, err := d.Sample(channel.Query{}, channel.Between(3), 1, src); !errors.Is(err, channel.ErrInvalid) {
		t.Errorf("a side that there is not: %v", err)
	}
}

// Pairs to try a training with: words of a's and b's, and what a scribe makes of them.
func ExamplePredictor_Sample() {
	p := em.NewParams()
	predictor, err := channel.New(p, scribe(p, "scribe", .8)).Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	copies, err := predictor.Sample(channel.Query{Source: []rune("abbaababba")}, channel.Target, 3, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range copies {
		fmt.Println(string(c))
	}
	// Output:
	// abbaababba
	// abbaababba
	// abbaaabbba
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
