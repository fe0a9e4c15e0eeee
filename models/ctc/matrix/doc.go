// Package matrix reads the outputs of recognizers from files: a matrix with a row per frame and a
// column per symbol.
//
// The idea: programs that run networks write their outputs in one of three forms, and a reader
// recognizes the form by the first bytes of the file. It returns the numbers unchanged. The
// caller chooses the function of package frames that interprets them as scores, probabilities or
// logarithms.
//
//	m, err := matrix.Read(strings.NewReader("1.5;0;-1;\n0;2;0;\n"), "line.csv")
//	...
//	e, err := frames.Scores(m.Frames, m.Symbols, m.Numbers, nil)
//	...
//	fmt.Printf("%d frames, P(symbol 1 in frame 1) = %.3f\n", e.Frames(), math.Exp(e.Log(1, 1)))
//
// Which function:
//
//   - a file of any of the forms, also compressed: [Load]; an open one: [Read]
//   - a file of a known form: [ReadCSV], [ReadJSON], [ReadNPY]
//   - write: [Matrix.WriteCSV], [Matrix.WriteNPY]
//   - the numbers: [Matrix.Numbers], [Matrix.Row]
//
// # Forms
//
//	CSV   a row a line; between numbers a semicolon, comma, tab or spaces, perhaps also at its end
//	JSON  a list of lists of numbers
//	.npy  an array of NumPy, of float16, float32 or float64, versions 1 to 3 of the format
//
// Numbers may be infinite or NaN. Package frames accepts −Inf as the logarithm of 0 and rejects
// NaN. A reader allocates at most 32 bytes for each byte that it reads plus 200 kB, regardless of
// the size stated in the header of a file.
package matrix
