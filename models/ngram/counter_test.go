package ngram

import (
	"errors"
	"math"
	"testing"
)

// TestRoundedProbability: a probability of 0 counts nothing, and one that exceeds 1 by rounding is 1.
func TestRoundedProbability(t *testing.T) {
	c := counter(t, 3, 4)
	if err := c.Add(nil, 1, 0); err != nil {
		t.Errorf("probability 0: %v", err)
	}
	if _, err := c.Model(nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("the counts are empty: %v", err)
	}
	if err := c.Add(nil, 1, 1+1e-12); err != nil {
		t.Errorf("a probability of 1, rounded: %v", err)
	}
}

// TestSteps: histories that end in the same n−1 symbols have one context, and others
// have not.
func TestSteps(t *testing.T) {
	c := counter(t, 3, 3)
	after := func(s ...int32) int32 {
		k := c.Start()
		for _, w := range s {
			k = c.Step(k, w)
		}
		return k
	}
	if after(1, 2) != after(3, 1, 2) || after(2) == after(1, 2) || after(2) == after(3, 2) || after() == after(1) {
		t.Error("contexts are confused")
	}
	one := counter(t, 1, 3)
	if one.Step(one.Start(), 2) != one.Start() {
		t.Error("order 1 has two contexts")
	}
}

// TestModelTwice: a counter gives the same model again, and goes on counting.
func TestModelTwice(t *testing.T) {
	c := counter(t, 3, 3)
	for range 3 {
		if err := c.AddString([]int32{1, 2, 3}, 1); err != nil {
			t.Fatal(err)
		}
	}
	a, b := model(t, c, nil), model(t, c, &Options{DiscountScale: []float64{1.5}})
	again := model(t, c, nil)
	if a.LogProb([]int32{1, 2, 3}) != again.LogProb([]int32{1, 2, 3}) {
		t.Error("another model")
	}
	if !(b.LogProb([]int32{1, 2, 3}) < a.LogProb([]int32{1, 2, 3})) {
		t.Error("more discount does not take from what was seen")
	}
	if err := c.AddString([]int32{3, 3}, 5); err != nil {
		t.Fatal(err)
	}
	if more := model(t, c, nil); !(more.LogProb([]int32{3, 3}) > a.LogProb([]int32{3, 3})) {
		t.Error("what was added does not count")
	}
}

// TestRelativeFrequencies: without discounts the model is the maximum of the likelihood.
func TestRelativeFrequencies(t *testing.T) {
	m := trainWith(t, 2, 3, [][]int32{{1, 2}, {1, 1}}, nil, &Options{DiscountScale: []float64{0}})
	for _, test := range []struct {
		history []int32
		w       int32
		want    float64
	}{{nil, 1, 1}, {nil, 2, 0}, {[]int32{1}, 1, 1. / 3}, {[]int32{1}, End, 1. / 3}, {[]int32{2}, End, 1}, {[]int32{2}, 3, 0}} {
		if got := m.Prob(test.history, test.w); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("p(%d | %v) is %v, want %v", test.w, test.history, got, test.want)
		}
	}
}
