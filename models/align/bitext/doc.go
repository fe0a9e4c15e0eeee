// Package bitext reads parallel text and aligns it as it is read.
//
// Two files are line-parallel: line n of the one translates line n of the other. Read yields
// every line, whatever is wrong with it. What cannot be aligned, such as a line that is empty on
// one side, is still there, and has a Problem that says so with file and line. So nothing that
// is done line by line loses its place.
//
//	lines := bitext.Read(source, target, nil)
//	aligner := func(s align.Sentence) (align.Alignment, error) {
//		forward, backward, err := model.Posteriors(s)
//		...
//		return align.Average(forward, backward).Align(.5), nil
//	}
//	stats, err := bitext.Align(ctx, os.Stdout, lines, aligner, 2, report)
//
// Which function:
//
//   - two texts or files: [Read], [ReadFiles]; one with both sides in a line: [ReadJoined],
//     [ReadJoinedFile], [Parse]
//   - alignments, one line for each line: [Align]
//   - anything else, in many goroutines and in the order of the lines: [Map]
//
// Of a text of any size only a few lines are in memory at once. Text is UTF-8, words are divided
// by spaces or tabs; a file whose name ends in .gz is decompressed as it is read. Lines are at
// most 1 MiB long.
package bitext
