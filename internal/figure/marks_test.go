package figure_test

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"example.org/pathsum/internal/figure"
)

// A dot is orange in the middle of its cell, and a frame is green inside the edge of its own.
func TestMarks(t *testing.T) {
	g := figure.Grid{Rows: []string{"a", "b"}, Columns: []string{"x", "y"}, Value: func(int, int) float64 { return 0 },
		Dots: []figure.Cell{{Row: 0, Column: 0}}, Frames: []figure.Cell{{Row: 1, Column: 1}}, Thin: []figure.Cell{{Row: 0, Column: 1}}}
	var b bytes.Buffer
	if err := g.Figure().Write(&b, "png"); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	// The centre of all points of a colour, and their number.
	middle := func(is func(c color.NRGBA) bool) (x, y, n int) {
		for j := range picture.Bounds().Dy() {
			for i := range picture.Bounds().Dx() {
				if is(color.NRGBAModel.Convert(picture.At(i, j)).(color.NRGBA)) {
					x, y, n = x+i, y+j, n+1
				}
			}
		}
		if n == 0 {
			t.Fatal("a mark is missing")
		}
		return x / n, y / n, n
	}
	dotX, dotY, dot := middle(func(c color.NRGBA) bool { return c.R > 200 && c.G < 120 && c.B < 50 })
	frameX, frameY, frame := middle(func(c color.NRGBA) bool { return c.G > 100 && c.R < 80 && c.B < 80 })
	if dotX >= frameX || dotY >= frameY || dot < 20 || frame < 40 {
		t.Errorf("%d points of the dot at %d,%d; %d of the frame at %d,%d, want them right below", dot, dotX, dotY, frame, frameX, frameY)
	}
}
