package agree_test

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/semiring"
)

// sentences are English and German, word by word.
var sentences = [][2][]int{
	{{the, house}, {das, haus}},
	{{the, book}, {das, buch}},
	{{a, book}, {ein, buch}},
	{{the, small, house}, {das, kleine, haus}},
}

const (
	the, house, book, a, small   = 0, 1, 2, 3, 4
	das, haus, buch, ein, kleine = 0, 1, 2, 3, 4
	english, german, words       = 0, 1, 5
)

// links is IBM Model 1 in one direction: each word of the side to is the translation of
// some word of the side from. Features are the links between two words.
type links struct {
	params   *em.Params
	from, to int
	// tables holds the potentials of links: the probabilities of words given words of the side
	// from, or the reverse.
	tables []table

	values      []semiring.ScaledFloat
	temperature float64
}

// table is one distribution over words of the side to for each word of the side from.
type table struct {
	from, to int
	rows     []*em.Group
}

func newTable(p *em.Params, from, to int) table {
	t := table{from: from, to: to}
	for range words {
		t.rows = append(t.rows, p.Group(fmt.Sprint("translation ", p.Len()), words, em.Multinomial{}))
	}
	return t
}

// parameter returns the number of the probability of a link.
func (t table) parameter(pair [2][]int, link [2]int) int {
	return t.rows[pair[t.from][link[t.from]]].First() + pair[t.to][link[t.to]]
}

func (l *links) Params() *em.Params       { return l.params }
func (l *links) Examples() int            { return len(sentences) }
func (l *links) Example(i int) em.Skipped { return em.Skipped{Index: i, Weight: 1} }
func (l *links) Fingerprint(w io.Writer) {
	fmt.Fprintln(w, "Model 1", l.from, len(l.tables), sentences)
}

func (l *links) Begin(q em.Query) error {
	l.values, l.temperature = l.params.Values(q.Theta), q.Temperature
	return nil
}

func (l *links) Infer() agree.Inference { return &linking{links: l} }

// linking holds one goroutine's E steps of links.
type linking struct {
	*links
	pair [2][]int
	sum  em.Accumulator
}

// each calls f for the index of each link between a word of the side to and all words of the
// other side.
func (l *linking) each(to int, f func(feature int, link [2]int)) {
	for from := range l.pair[l.from] {
		var link [2]int
		link[l.from], link[l.to] = from, to
		f(link[english]*len(l.pair[german])+link[german], link)
	}
}

func (l *linking) Posterior(i int) (agree.Posterior, error) {
	l.pair = sentences[i]
	weights := make([]semiring.ScaledFloat, len(l.pair[english])*len(l.pair[german]))
	p := agree.Posterior{Features: make([]float64, len(weights)), Total: semiring.NewScaled(1), Arcs: int64(len(weights))}
	for to := range l.pair[l.to] { // each chooses its origin independently of the others
		var sum semiring.ScaledFloat
		l.each(to, func(k int, link [2]int) {
			weights[k] = semiring.NewScaled(1)
			for _, t := range l.tables {
				weights[k] = weights[k].Mul(l.values[t.parameter(l.pair, link)].Pow(l.temperature))
			}
			sum = sum.Add(weights[k])
		})
		l.each(to, func(k int, _ [2]int) { p.Features[k] = weights[k].Div(sum).Float64() })
		p.Total = p.Total.Mul(sum)
	}
	return p, nil
}

func (l *linking) Count(mu []float64, weight float64) {
	l.sum.Grow(l.params.Len(), false)
	for to := range l.pair[l.to] {
		l.each(to, func(k int, link [2]int) {
			for _, t := range l.tables {
				l.sum.Add(int32(t.parameter(l.pair, link)), weight*mu[k])
			}
		})
	}
}

func (l *linking) Drain(t *em.Tally) { l.sum.Drain(t) }

// Word alignment: the two directions of IBM Model 1 allow different links, because each word of
// one side has a single origin on the other. The sum over the links that both allow is
// intractable. Instead, the product of both is summed over the links that each allows. In four
// iterations the directions learn more from each other than each learns by itself.
func ExampleDomainApproximate() {
	params := em.NewParams()
	forward, backward := newTable(params, english, german), newTable(params, german, english)
	submodels := func(forwardTables, backwardTables []table) []agree.Submodel {
		return []agree.Submodel{
			&links{params: params, from: english, to: german, tables: forwardTables},
			&links{params: params, from: german, to: english, tables: backwardTables},
		}
	}
	terms := func(submodels []agree.Submodel) (terms []em.Likelihood) {
		for _, s := range submodels {
			terms = append(terms, must(agree.Likelihood(em.Fail, s)))
		}
		return terms
	}
	own, both := submodels([]table{forward}, []table{backward}), submodels([]table{forward, backward}, []table{forward, backward})
	for _, training := range []struct {
		name       string
		likelihood em.Likelihood
	}{
		{"independent", must(agree.Independent(terms(own)...))},
		{"domain-approximate", must(agree.DomainApproximate(terms(both)...))},
		{"product of posteriors", must(agree.ProductOfPosteriors(em.Fail, own...))},
	} {
		result := must(em.Fit(context.Background(), training.likelihood, &em.Options{Iterations: 4}))
		fmt.Printf("%-22s p(Haus|house) = %.2f, p(a|ein) = %.2f\n", training.name,
			forward.rows[house].In(result.Theta)[haus], backward.rows[ein].In(result.Theta)[a])
	}
	// Output:
	// independent            p(Haus|house) = 0.62, p(a|ein) = 0.73
	// domain-approximate     p(Haus|house) = 0.97, p(a|ein) = 0.99
	// product of posteriors  p(Haus|house) = 0.99, p(a|ein) = 1.00
}
