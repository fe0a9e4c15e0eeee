// Package speller corrects misspelt words through a lexicon.
//
// The idea: a beam through lexicon ∘ channel ∘ misspelt word finds candidates, and a product of
// models that were trained one by one ranks them. A Speller holds the models. Whoever trains them
// puts them into its fields, calls Prepare, and lets Learn learn the exponents of the product from
// pairs that no model has seen; Save and Load keep all of that in a file.
//
//	s := &speller.Speller{Lexicon: words, Scout: …, Edits: …, …}
//	err := s.Prepare()
//	…
//	err = s.Learn(ctx, held)
//	list, err := s.Suggest(ctx, "recieve", 3)
//
// With Sounds it knows how words are pronounced, too. Words, Pairs and Pronunciations read what
// spellers are made of and tested with.
package speller
