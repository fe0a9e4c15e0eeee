package agree_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// varied is a set of different examples: submodel m of example i has no structure k with (k+i)
// mod ban = m+1, and its own shard size. Every eleventh example has no structure in submodel 1.
type varied struct {
	*scopes
	weight []float64
	ban    int
}

func (v varied) allows(m, i, k int) bool { return (k+i)%v.ban != m+1 && !(m == 1 && i%11 == 10) }

// submodel returns submodel m, whose corpus has shards of the given size.
func (v varied) submodel(m, size int, policy em.Policy) agree.Submodel {
	space := v.params.Space()
	draw := func(i int) (*graph.Graph[expr.W], error) {
		to, weights := []int32{}, []expr.W{}
		for k, z := range v.structures[m] {
			if !v.allows(m, i, k) {
				continue
			}
			w := space.Param(int32(z.param))
			for n, c := range v.knows[m] {
				if f := v.feature(c, z.value[n]); f >= 0 {
					w = space.Times(w, v.marks.Weight(f))
				}
			}
			to, weights = append(to, 1), append(weights, w)
		}
		n := int32(len(to))
		return graph.New(space, []int32{0, n, n}, to, weights,
			[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
	}
	graphs := make([]*graph.Graph[expr.W], len(v.weight)) // their expressions are made before
	for i := range graphs {
		graphs[i] = must(draw(i))
	}
	corpus := must(cascade.Derivations{Examples: len(v.weight), ShardSize: size, Underivable: policy,
		Graph:  func(i int) (*graph.Graph[expr.W], error) { return graphs[i], nil },
		Weight: func(i int) float64 { return v.weight[i] }}.Corpus(v.params))
	return must(agree.Marked(corpus, agree.Features{Marks: v.marks}))
}

// own returns, for submodel m alone in example i, the sum of the weights of its structures to a
// power, and the sums over the structures that use each parameter.
func (v varied) own(m, i int, theta []float64, power float64) (total float64, uses []float64) {
	uses = make([]float64, len(theta))
	for k, z := range v.structures[m] {
		if !v.allows(m, i, k) {
			continue
		}
		w := math.Pow(theta[z.param], power)
		total += w
		uses[z.param] += w
	}
	return total, uses
}

// joint returns the same for the product of all submodels in example i.
func (v varied) joint(i int, theta []float64) (total float64, uses []float64) {
	uses = make([]float64, len(theta))
	var list func(m int, weight float64, chosen map[int]int, used []int)
	list = func(m int, weight float64, chosen map[int]int, used []int) {
		if m == len(v.knows) {
			total += weight
			for _, p := range used {
				uses[p] += weight
			}
			return
		}
		for k, z := range v.structures[m] {
			now, ok := map[int]int{}, v.allows(m, i, k)
			for c, x := range chosen {
				now[c] = x
			}
			for n, c := range v.knows[m] {
				if x, known := now[c]; known && x != z.value[n] {
					ok = false
				}
				now[c] = z.value[n]
			}
			if ok {
				list(m+1, weight*theta[z.param], now, append(used[:len(used):len(used)], z.param))
			}
		}
	}
	list(0, 1, nil, nil)
	return total, uses
}

// TestUnequalShards: for any shards of the submodels, which may differ from the shards of the
// agreement, and any weights of examples, including 0, each rule has the sums of enumeration.
// This holds also over the shards one by one, with many workers, and for several likelihoods at
// once. The tally of a shard has only what its examples count, no vector of zeros.
func TestUnequalShards(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 91))
		v := varied{scopes: newScopes(rng, []int{0}, []int{0, 1}), ban: 5 + rng.IntN(3)}
		n := []int{1, 2, 7, 65, 130}[seed%5]
		for i := range n {
			v.weight = append(v.weight, []float64{1, 0, 2.5, 1, 1e-300, 1e9}[(i*i+int(seed))%6])
		}
		v.weight[n/2] = .5
		theta := v.theta(rng)
		submodels := func() []agree.Submodel {
			return []agree.Submodel{v.submodel(0, 1+rng.IntN(4), em.Skip), v.submodel(1, 1+rng.IntN(40), em.Skip)}
		}
		choices := &agree.LoopyOptions{Choice: v.choice, Tolerance: 1e-14,
			Concerns: func(m, _, c int) bool { return slices.Contains(v.knows[m], c) }}
		want, wanted := map[string]float64{}, map[string][]float64{}
		rules := []string{"loopy", "averaged", "product", "independent"}
		for _, rule := range rules {
			wanted[rule] = make([]float64, len(theta))
		}
		skipped := 0
		for i, weight := range v.weight {
			if weight == 0 {
				continue
			}
			total, uses := v.joint(i, theta)
			if total == 0 {
				skipped++
				continue
			}
			want["loopy"] += weight * math.Log(total)
			for p, x := range uses {
				wanted["loopy"][p] += weight * x / total
			}
			for m := range v.knows {
				total, uses := v.own(m, i, theta, 1)
				squared, powers := v.own(m, i, theta, 2)
				want["independent"] += weight * math.Log(total)
				want["product"] += weight * math.Log(total)
				want["averaged"] += weight * math.Log(squared) / 2
				for p, x := range uses {
					wanted["independent"][p] += weight * x / total
					wanted["product"][p] += weight * x / total
					wanted["averaged"][p] += weight * powers[p] / squared
				}
			}
		}
		likelihoods := func() map[string]em.Likelihood {
			s := submodels()
			own := []em.Likelihood{must(agree.Likelihood(em.Skip, s[0])), must(agree.Likelihood(em.Skip, s[1]))}
			return map[string]em.Likelihood{
				"loopy":       must(agree.LoopyBelief(em.Skip, choices, s...)),
				"averaged":    must(agree.Averaged(em.Skip, s...)),
				"product":     must(agree.ProductOfPosteriors(em.Skip, s...)),
				"independent": must(agree.Independent(own...)),
			}
		}
		for rule, l := range likelihoods() {
			name := fmt.Sprintf("seed %d, %s of %d examples", seed, rule, n)
			e, err := l.Expect(t.Context(), em.Query{Theta: theta, Workers: 3})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			scale := 1 + math.Abs(want[rule])
			if math.Abs(e.LogLikelihood-want[rule]) > 1e-11*scale || len(e.Skipped) != skipped || e.Examples != n {
				t.Errorf("%s: %.15g, want %.15g; %d skipped, %d examples", name, e.LogLikelihood, want[rule], len(e.Skipped), e.Examples)
			}
			for p, x := range wanted[rule] {
				if p >= v.marks.Len() && math.Abs(e.Counts[p]-x) > 1e-11*scale {
					t.Errorf("%s: parameter %d is used %.15g times, want %.15g", name, p, e.Counts[p], x)
				}
			}
			if d, ok := l.(em.Divisible); ok {
				err := d.Tallies(t.Context(), em.Query{Theta: theta, Workers: 1}, nil, func(shard int, tally *em.Tally) error {
					for p, x := range tally.Entries() {
						if slices.Contains(x.Value, 0) {
							return fmt.Errorf("shard %d has a zero for parameter %d", shard, p)
						}
					}
					return nil
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			parts, sums := 0.0, make([]float64, len(theta))
			for shard := range l.Shards() {
				part := must(l.Expect(t.Context(), em.Query{Theta: theta, Lo: shard, Hi: shard + 1, Counts: sums}))
				parts += part.LogLikelihood
			}
			if math.Abs(parts-e.LogLikelihood) > 1e-12*scale {
				t.Errorf("%s: its shards sum to %.15g, want %.15g", name, parts, e.LogLikelihood)
			}
			for p, x := range e.Counts {
				if math.Abs(sums[p]-x) > 1e-12*scale {
					t.Errorf("%s: in its shards parameter %d is used %.15g times, want %.15g", name, p, sums[p], x)
				}
			}
		}
		var all sync.WaitGroup
		results := make([]float64, 4)
		for k := range results {
			l := must(agree.LoopyBelief(em.Skip, choices, submodels()...))
			all.Go(func() {
				if e, err := l.Expect(t.Context(), em.Query{Theta: theta, Workers: 2}); err == nil {
					results[k] = e.LogLikelihood
				}
			})
		}
		all.Wait()
		for _, x := range results {
			if math.Abs(x-want["loopy"]) > 1e-11*(1+math.Abs(x)) {
				t.Errorf("seed %d: at once: %.15g, want %.15g", seed, x, want["loopy"])
			}
		}
	}
}
