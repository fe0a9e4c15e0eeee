// Package treebank reads sentences with known structure and scores parses against them.
//
// A Sentence contains words, tags, and the known part of its structure: the head of each word, and
// spans, the constituents without their labels. Readers yield one sentence at a time. An error
// contains the line and column. It ends the sequence, except in [Sentences], which continues with
// the next line.
//
//	for tree, err := range treebank.Trees(r, "dog.mrg") {
//		...
//		whole := tree.Sentence()
//		s := whole.Keep(treebank.IsWord)
//		score.Add(&s, spans, heads)
//	}
//
// Which function:
//
//   - bracketed trees: [Trees], [TreesOf], with [Tree.Sentence] and its inverse [Sentence.Tree];
//     CoNLL-U: [CoNLLU], [CoNLLUOf]; tab-separated lines: [Sentences], [SentencesOf], [Write]
//   - without punctuation: [Sentence.Keep], [IsWord]
//   - from heads to spans: [Yields], [HeadSpans], [BinarySpans]; validation: [CheckHeads],
//     [CheckSpans]
//   - scores: [Score]
//
// Words are numbered from 0. A span [I, J) contains the words I … J−1. Files whose name ends in .gz
// are decompressed.
//
// # Scores
//
// Score follows Klein and Manning (2002, 2004). It counts distinct unlabeled brackets of two or
// more words, including the whole sentence, over all sentences. It also counts words with the
// correct head, and words joined to their head in either direction. The root's head is correct if
// the guess has the same root.
package treebank
