// Package bitext reads parallel text and aligns it in a stream.
//
// Two files are line-parallel: line n of one translates line n of the other. Read yields every
// line. A line that cannot be aligned, such as one that is empty on one side, has a Problem with
// file and line. The output thus stays parallel to the input.
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
//   - other functions of each line, in parallel and in the order of the lines: [Map]
//
// Only a few lines of a text are in memory at once. Text is UTF-8, and words are separated by
// spaces or tabs. A file whose name ends in .gz is decompressed. Lines are at most 1 MiB long.
package bitext
