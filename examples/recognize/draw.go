package main

import (
	"math"
	"math/rand/v2"
	"strings"
)

// The image of a line, in pixels: the grid of letters goes from the bottom row to the top row.
const (
	height = 12
	scale  = float64(height-3) / 8 // pixels from one point of the grid to the next
	gap    = 2.5                   // between letters
	blanks = 4.                    // the width of a space
	margin = 3.                    // before the first letter and after the last
)

// image is the image of a line: the ink of its pixels, from 0 to 1, column by column from the
// left, each from the bottom.
type image struct {
	columns int
	ink     []float64
}

// at returns the ink of a pixel.
func (m *image) at(column, row int) float64 { return m.ink[column*height+row] }

// hand is a person's handwriting: shapes of the letters, and random variation.
type hand struct {
	shapes    [letters]shape
	slant     float64 // columns to the right per row
	width     float64 // of letters, relative to the school's
	thickness float64 // of lines, in pixels
	tremor    float64 // standard deviation of the points of a letter, in pixels
	noise     float64 // standard deviation of the ink of a pixel
}

// newHand returns a hand whose letters differ from the school's: each point is shifted by a random
// amount of standard deviation character, in points of the grid.
func newHand(rng *rand.Rand, character float64) *hand {
	h := &hand{
		slant: .12 * rng.NormFloat64(), width: 1 + .1*rng.NormFloat64(), thickness: .9 + .3*rng.Float64(),
		tremor: .15, noise: .06,
	}
	for i, s := range alphabet {
		h.shapes[i].width = s.width
		for _, line := range s.lines {
			moved := make([]point, len(line))
			for j, p := range line {
				moved[j] = point{p.x + character*rng.NormFloat64(), p.y + character*rng.NormFloat64()}
			}
			h.shapes[i].lines = append(h.shapes[i].lines, moved)
		}
	}
	return h
}

// mimic makes the hand write the first letter of each word of pairs like the second one.
func (h *hand) mimic(pairs string) {
	for pair := range strings.FieldsSeq(pairs) {
		h.shapes[pair[0]-'a'] = h.shapes[pair[1]-'a']
	}
}

// write draws a line of text: letters and spaces.
func (h *hand) write(text []int32, rng *rand.Rand) *image {
	var lines [][]point
	x := margin
	for _, symbol := range text {
		if symbol == space {
			x += blanks
			continue
		}
		s := h.shapes[symbol-1]
		for _, line := range s.lines {
			drawn := make([]point, len(line))
			for i, p := range line {
				y := 1 + scale*p.y + h.tremor*rng.NormFloat64()
				drawn[i] = point{x + scale*h.width*p.x + h.slant*(y-height/2) + h.tremor*rng.NormFloat64(), y}
			}
			lines = append(lines, drawn)
		}
		x += scale*h.width*s.width + gap + h.tremor*rng.NormFloat64()
	}
	m := &image{columns: int(math.Ceil(x - gap + margin))}
	m.ink = make([]float64, m.columns*height)
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			m.stroke(line[i-1], line[i], h.thickness)
		}
	}
	for i, ink := range m.ink {
		m.ink[i] = min(1, max(0, ink+h.noise*rng.NormFloat64()))
	}
	return m
}

// stroke draws a line from a to b: a pixel whose middle is within half the thickness of the line is
// black, and the ink fades over the next pixel.
func (m *image) stroke(a, b point, thickness float64) {
	reach := thickness/2 + .7
	left, right := min(a.x, b.x)-reach, max(a.x, b.x)+reach
	for c := max(0, int(left)); c <= min(m.columns-1, int(right)+1); c++ {
		for r := range height {
			ink := reach - distance(point{float64(c), float64(r)}, a, b)
			k := c*height + r
			m.ink[k] = max(m.ink[k], min(1, ink))
		}
	}
}

// distance returns how far p is from the line from a to b.
func distance(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	share := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		share = min(1, max(0, ((p.x-a.x)*dx+(p.y-a.y)*dy)/length))
	}
	return math.Hypot(p.x-a.x-share*dx, p.y-a.y-share*dy)
}

// drawn returns an image in characters, its first 100 columns.
func drawn(m *image) string {
	const darkness = " .:-=+*#%@"
	var b strings.Builder
	for r := height - 1; r >= 0; r-- {
		var row []byte
		for c := range min(100, m.columns) {
			row = append(row, darkness[int(m.at(c, r)*(float64(len(darkness))-.01))])
		}
		b.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
