package crf_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/crf"
)

// The data are of the size of a tenth of a treebank: sentences of 25 words with 16
// attributes each, some frequent, most rare, and 45 labels.
const (
	benchSequences, benchLength = 330, 25
	benchLabels                 = 45
	benchAttributes             = 16
)

// byHand is the usual program for a chain: forward and backward, each position scaled
// to sum 1. Its weights are in the order of crf.Likelihood.
type byHand struct {
	pairs      [][]pair // per attribute
	weights    int      // of pairs
	attributes [][]int  // per position of all sequences
	gold       [][]int  // per sequence
}

type pair struct{ label, weight int }

// benchData returns the data for both programs.
func benchData(t testing.TB) (*crf.Data, *byHand) {
	r, d, h := graphtest.Rand(1), crf.NewData(), &byHand{}
	attributes, labels := map[string]int{}, map[string]int{}
	for range benchSequences {
		gold, names := make([]int, benchLength), make([]string, benchLength)
		for t := range names {
			names[t] = fmt.Sprint(int(benchLabels * math.Pow(r.Float64(), 2)))
			gold[t] = number(labels, names[t])
			h.attributes = append(h.attributes, nil)
		}
		h.gold = append(h.gold, gold)
		position := len(h.attributes) - benchLength
		err := d.Add(names, func(t int, a *crf.Attributes) {
			for k := range benchAttributes {
				// Kind k of attribute has about 2^k values, unevenly frequent.
				name := fmt.Sprintf("%d=%d", k, int(math.Pow(2, float64(k))*math.Pow(r.Float64(), 3)))
				a.Add(name)
				i := number(attributes, name)
				if i == len(h.pairs) {
					h.pairs = append(h.pairs, nil)
				}
				if !contains(h.pairs[i], gold[t]) {
					h.pairs[i] = append(h.pairs[i], pair{label: gold[t]})
				}
				h.attributes[position+t] = append(h.attributes[position+t], i)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(labels) != benchLabels {
		t.Fatalf("%d labels", len(labels))
	}
	for _, pairs := range h.pairs {
		for i := range pairs {
			pairs[i].weight = h.weights
			h.weights++
		}
	}
	return d, h
}

// number returns the number of a name, which is given the next one if it is new.
func number(numbers map[string]int, name string) int {
	if _, ok := numbers[name]; !ok {
		numbers[name] = len(numbers)
	}
	return numbers[name]
}

func contains(pairs []pair, label int) bool {
	for _, p := range pairs {
		if p.label == label {
			return true
		}
	}
	return false
}

func (h *byHand) run(theta, counts []float64) float64 {
	const n = benchLabels
	clear(counts)
	w, c := theta[h.weights:], counts[h.weights:]
	var transition [n * n]float64
	for i := range transition {
		transition[i] = math.Exp(w[i])
	}
	log, position := 0.0, 0
	var emission, alpha, p [benchLength][n]float64
	var norm [benchLength]float64
	for _, gold := range h.gold {
		for t := range emission {
			clear(emission[t][:])
			for _, a := range h.attributes[position+t] {
				for _, x := range h.pairs[a] {
					emission[t][x.label] += theta[x.weight]
				}
			}
			log += emission[t][gold[t]]
			x := &alpha[t]
			if t > 0 {
				log += w[gold[t-1]*n+gold[t]]
				clear(x[:])
				for i, a := range &alpha[t-1] {
					for j, q := range transition[i*n : (i+1)*n] {
						x[j] += a * q
					}
				}
			} else {
				for j := range x {
					x[j] = 1
				}
			}
			sum := 0.0
			for j := range x {
				emission[t][j] = math.Exp(emission[t][j])
				x[j] *= emission[t][j]
				sum += x[j]
			}
			norm[t] = 1 / sum
			log -= math.Log(sum)
			for j := range x {
				x[j] *= norm[t]
			}
		}
		var beta, z [n]float64
		for j := range beta {
			beta[j] = 1
		}
		for t := benchLength - 1; t >= 0; t-- {
			for j := range beta {
				p[t][j] = -alpha[t][j] * beta[j]
				z[j] = emission[t][j] * beta[j] * norm[t]
			}
			p[t][gold[t]]++
			for _, a := range h.attributes[position+t] {
				for _, x := range h.pairs[a] {
					counts[x.weight] += p[t][x.label]
				}
			}
			if t == 0 {
				break
			}
			c[gold[t-1]*n+gold[t]]++
			for i, a := range &alpha[t-1] {
				sum, row := 0.0, c[i*n:(i+1)*n]
				for j, q := range transition[i*n : (i+1)*n] {
					q *= z[j]
					sum += q
					row[j] -= a * q
				}
				beta[i] = sum
			}
		}
		position += benchLength
	}
	return log
}

func TestByHand(t *testing.T) {
	d, h := benchData(t)
	l, theta := random(t, graphtest.Rand(2), crf.Chain, d)
	e, counts := expect(t, l, em.Query{Theta: theta}), make([]float64, len(theta))
	if log := h.run(theta, counts); len(theta) != h.weights+benchLabels*benchLabels || !near(e.LogLikelihood, log, 1e-12) {
		t.Fatalf("log likelihood %.17g of %d weights, by hand %.17g of %d", e.LogLikelihood, len(theta), log, h.weights)
	}
	for i, c := range e.Counts {
		if !near(c, counts[i], 1e-10) {
			t.Fatalf("count of %s is %g, by hand %g", l.Params().Name(int32(i)), c, counts[i])
		}
	}
}

// One E step, without and with second derivatives in a direction: ns per position and
// pair of labels in a chain, per position and label otherwise.
func BenchmarkExpect(b *testing.B) {
	d, h := benchData(b)
	const labels = benchSequences * benchLength * benchLabels
	for _, kind := range kinds {
		l, theta := random(b, graphtest.Rand(2), kind, d)
		cells, unit := labels, "label"
		if kind == crf.Chain {
			cells, unit = labels*benchLabels, "label-pair"
			b.Run("crf/hand", func(b *testing.B) {
				counts := make([]float64, len(theta))
				defer benchtime.Per(b, cells, unit)()
				for b.Loop() {
					h.run(theta, counts)
				}
			})
		}
		for name, q := range map[string]em.Query{
			kind.String():              {Theta: theta, Workers: 1},
			kind.String() + "/tangent": {Theta: theta, Workers: 1, Tangent: theta},
		} {
			b.Run(name, func(b *testing.B) {
				expect(b, l, q) // storage grows
				b.ReportAllocs()
				defer benchtime.Per(b, cells, unit)()
				for b.Loop() {
					expect(b, l, q)
				}
			})
		}
	}
}

// The best labels of a sequence and their attributes; ns per position and pair of
// labels.
func BenchmarkBest(b *testing.B) {
	d, h := benchData(b)
	l, theta := random(b, graphtest.Rand(2), crf.Chain, d)
	m, err := l.at(theta)
	if err != nil {
		b.Fatal(err)
	}
	names := make([]string, len(h.pairs))
	for i := range names {
		name, _, _ := strings.Cut(l.Params().Name(int32(h.pairs[i][0].weight)), " ")
		names[i] = strings.TrimPrefix(name, "weights[")
	}
	f := func(t int, a *crf.Attributes) {
		for _, i := range h.attributes[t] {
			a.Add(names[i])
		}
	}
	b.ReportAllocs()
	defer benchtime.Per(b, benchLength*benchLabels*benchLabels, "label-pair")()
	for b.Loop() {
		if _, err := m.Best(benchLength, f); err != nil {
			b.Fatal(err)
		}
	}
}
