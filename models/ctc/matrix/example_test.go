package matrix_test

import (
	"fmt"
	"math"
	"strings"

	"example.org/pathsum/models/ctc/matrix"
	"example.org/pathsum/semiring/frames"
)

func Example() {
	m, err := matrix.Read(strings.NewReader("1.5;0;-1;\n0;2;0;\n"), "line.csv")
	if err != nil {
		panic(err)
	}
	e, err := frames.Scores(m.Frames, m.Symbols, m.Numbers, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d frames, P(symbol 1 in frame 1) = %.3f\n", e.Frames(), math.Exp(e.Log(1, 1)))
	// Output: 2 frames, P(symbol 1 in frame 1) = 0.787
}
