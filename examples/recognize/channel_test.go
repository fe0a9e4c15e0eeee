package main

import (
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ctc/decode"
	"example.org/pathsum/semiring/frames"
)

// soft returns the output of a network that is certain of a text except for a fraction of each
// frame: a symbol in each second frame, a blank in between.
func soft(t *testing.T, text []int32, share float64) *frames.Emissions {
	t.Helper()
	n := 2*len(text) + 1
	p := make([]float64, n*columns)
	for i := range n {
		row := p[i*columns : (i+1)*columns]
		for v := range row {
			row[v] = share / columns
		}
		if i%2 == 0 {
			row[columns-1] += 1 - share
		} else {
			row[text[i/2]-1] += 1 - share
		}
	}
	e, err := frames.Probabilities(n, columns, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestChannel: training without texts, by English alone, detects a network that takes each s
// for an e, and then reads it well.
func TestChannel(t *testing.T) {
	const s, e = 19, 5
	taken := func(text []int32) []int32 {
		read := append([]int32(nil), text...)
		for i, c := range read {
			if c == s {
				read[i] = e
			}
		}
		return read
	}
	texts := englishLines()
	h := &handwriting{texts: texts[80:]}
	language, err := h.language(2)
	if err != nil {
		t.Fatal(err)
	}
	var lines []*frames.Emissions
	for _, text := range texts[:80] {
		lines = append(lines, soft(t, taken(text), .001))
	}
	c, err := newChannel()
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBigrams(c.params, h.texts)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.fit(t.Context(), b.machine, lines, &em.Options{Iterations: 8})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(result.Objective); i++ {
		if result.Objective[i] < result.Objective[i-1]-1e-9 {
			t.Errorf("the objective falls: %v", result.Objective)
		}
	}
	if p := c.rows[s].In(c.theta)[e-1]; p < .5 {
		t.Errorf("s is read as e with %.3f", p)
	}
	if p := c.rows[e].In(c.theta)[e-1]; p < .9 {
		t.Errorf("e is read as e with %.3f", p)
	}
	if d := c.describe(); !strings.HasPrefix(d, "s as e ") {
		t.Error(d)
	}
	through, err := c.topology()
	if err != nil {
		t.Fatal(err)
	}
	d, err := decode.New(decode.Options{Topology: through, Symbols: symbolNames, Language: language, Beam: frames.BeamOptions{Width: 100}})
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0 // of what is read as e
	for _, text := range texts[:20] {
		found, _, err := d.Decode(t.Context(), soft(t, taken(text), .001), 1)
		if err != nil || len(found) == 0 || len(found[0].Labels) != len(text) {
			t.Fatalf("%s read as %+v, %v", spelling(text), found, err)
		}
		for i, x := range taken(text) {
			if x == e && found[0].Labels[i] == text[i] {
				right++
			} else if x == e {
				wrong++
			}
		}
	}
	if right < 5*wrong {
		t.Errorf("of what is read as e, %d are right and %d wrong", right, wrong)
	}
}

// TestChannelTopology: the sum over the alignments of a text is the sum over its readings, each
// with its probability.
func TestChannelTopology(t *testing.T) {
	c, err := newChannel()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range c.rows[1:3] { // one reading is too rare to be kept
		copy(row.In(c.theta), append([]float64{.5, .3, .195, .005}, make([]float64, letters-4)...))
	}
	through, err := c.topology()
	if err != nil {
		t.Fatal(err)
	}
	e := soft(t, []int32{1, 2}, .4)
	d, err := decode.New(decode.Options{Topology: through, Symbols: symbolNames})
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := d.Decode(t.Context(), e, 1)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := ctc.NewLoss(topology(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i, p := range c.rows[1].In(c.theta) {
		for j, q := range c.rows[2].In(c.theta) {
			if p < rare || q < rare {
				continue
			}
			ln, err := loss.Eval(ctc.Example{Emissions: e, Labels: []int32{int32(i + 1), int32(j + 1)}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want += p * q * math.Exp(-ln)
		}
	}
	if got := math.Exp(read[0].LogProb); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("p(ab) = %v, want %v", got, want)
	}
}
