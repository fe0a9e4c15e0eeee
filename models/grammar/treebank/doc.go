// Package treebank reads sentences whose structure is known, and scores parses by them.
//
// A Sentence holds words, tags, and as much of its structure as is known: the head of each word,
// and spans, the constituents without their labels. Readers yield one after the other and hold
// no more than one. What is not as it should be is an error that says in which line and column.
// It ends the sequence, except that of [Sentences], where each line stands for itself.
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
//     CoNLL-U: [CoNLLU], [CoNLLUOf];
//     tab-separated lines: [Sentences], [SentencesOf], [Write]
//   - without punctuation: [Sentence.Keep], [IsWord]
//   - from heads to spans: [Yields], [HeadSpans], [BinarySpans]; are they a tree? [CheckHeads],
//     [CheckSpans]
//   - scores: [Score]
//
// Words are numbered from 0. A span [I, J) holds the words I … J−1. Files whose name ends in .gz
// are decompressed as they are read.
//
// # Scores
//
// Score counts as Klein and Manning (2002, 2004) do: brackets of two or more words, that of the
// whole sentence included, without labels and each once, added up over all sentences; words
// whose head is right, and words joined to their head in either direction. The root's head is
// right if the guess has the same root.
package treebank
