package ngram

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestCounterErrors(t *testing.T) {
	c := counter(t, 3, 4)
	for _, test := range []struct {
		err  error
		want string
	}{
		{c.Add([]int32{1, 2}, 5, 1), "symbol 5, want 1 to 4 or End"},
		{c.Add([]int32{1, 2}, -1, 1), "symbol -1"},
		{c.Add([]int32{1, 9}, 1, 1), "history: symbol 9 at position 1, want 1 to 4"},
		{c.Add([]int32{0}, 1, 1), "history: symbol 0 at position 0"},
		{c.Add(nil, 1, -.1), "probability -0.1"},
		{c.Add(nil, 1, 1.001), "probability 1.001"},
		{c.Add(nil, 1, math.NaN()), "probability NaN"},
		{c.AddAt(c.Start(), 1, math.Inf(1), 1), "probability +Inf"},
		{c.AddAt(c.Start(), 1, 1, math.Inf(1)), "weight +Inf"},
		{c.AddAt(c.Start(), 1, 1, math.NaN()), "weight NaN"},
		{c.AddString([]int32{1}, -1), "weight -1"},
		{counter(t, 3, 4).AddString([]int32{1}, 1e300), "more than 1e+300 occurrences"},
		{c.AddString([]int32{1, 0}, 1), "symbol 0 at position 1"},
	} {
		if !errors.Is(test.err, ErrInvalid) || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("error %v, want %q", test.err, test.want)
		}
	}
	if err := c.Add(nil, 1, 0); err != nil {
		t.Errorf("probability 0: %v", err)
	}
	if _, err := c.Model(nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("nothing was counted: %v", err)
	}
	if _, err := c.Discounts(); !errors.Is(err, ErrInvalid) {
		t.Errorf("discounts of nothing: %v", err)
	}
	if err := c.Add(nil, 1, 1+1e-12); err != nil {
		t.Errorf("a probability of 1, rounded: %v", err)
	}
	for _, opts := range []Options{
		{Smoothing: 2}, {Smoothing: -1},
		{DiscountScale: []float64{1, -1}}, {DiscountScale: []float64{math.NaN()}},
		{MinCount: []float64{-1}}, {MinCount: []float64{0, math.Inf(1)}},
	} {
		if _, err := c.Model(&opts); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	for _, bad := range []int32{0, -1, 5} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Step to %d: no panic", bad)
				}
			}()
			c.Step(c.Start(), bad)
		}()
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
