package main

import "strings"

// strokes has the lines of the letters a to z. A point of the grid is written xy: x is 0 to 4 from
// the left, and y is 0 to 8 from the bottom. The base line is at 2, small letters reach to 5, and
// descenders to 0. Commas separate the lines of a letter.
var strokes = [letters]string{
	"35 15 04 03 12 22 33,35 32",          // a
	"08 02,04 15 25 34 33 22 12 03",       // b
	"35 15 04 03 12 32",                   // c
	"38 32,34 25 15 04 03 12 22 33",       // d
	"04 34 25 15 04 03 12 32",             // e
	"38 28 17 12,05 25",                   // f
	"34 25 15 04 03 12 22 33,35 31 20 00", // g
	"08 02,04 15 25 34 32",                // h
	"15 12,17 17",                         // i
	"25 21 10 00,27 27",                   // j
	"08 02,35 03,14 32",                   // k
	"18 13 22",                            // l
	"05 02,04 15 24 22,24 35 44 42",       // m
	"05 02,04 15 25 34 32",                // n
	"15 25 34 33 22 12 03 04 15",          // o
	"05 00,04 15 25 34 33 22 12 03",       // p
	"34 25 15 04 03 12 22 33,35 30",       // q
	"05 02,04 15 25",                      // r
	"35 15 04 33 22 02",                   // s
	"17 13 22 32,05 25",                   // t
	"05 03 12 22 33,35 32",                // u
	"05 22 45",                            // v
	"05 12 24 32 45",                      // w
	"05 32,35 02",                         // x
	"05 22,45 00",                         // y
	"05 35 02 32",                         // z
}

// point is a point of the grid, or of an image in pixels.
type point struct{ x, y float64 }

// shape has the lines of a letter; the first point of each is at least 0 to the right.
type shape struct {
	lines [][]point
	width float64
}

// alphabet has the shapes of the letters taught at school.
var alphabet = func() (all [letters]shape) {
	for i, s := range strokes {
		for line := range strings.SplitSeq(s, ",") {
			var points []point
			for _, xy := range strings.Fields(line) {
				p := point{float64(xy[0] - '0'), float64(xy[1] - '0')}
				points, all[i].width = append(points, p), max(all[i].width, p.x)
			}
			all[i].lines = append(all[i].lines, points)
		}
	}
	return all
}()
