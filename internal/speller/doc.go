// Package speller corrects misspelt words with a lexicon.
//
// The idea: a beam through lexicon ∘ channel ∘ misspelt word finds candidates, and a product of
// separately trained models ranks them. A Speller holds the models. Training code sets its
// fields, calls Prepare, and then Learn, which learns the exponents of the product from
// held-out pairs; Save and Load keep all of it in a file.
//
//	s := &speller.Speller{Lexicon: words, Scout: …, Edits: …, …}
//	err := s.Prepare()
//	…
//	err = s.Learn(ctx, held)
//	list, err := s.Suggest(ctx, "recieve", 3)
//
// With Sounds it also uses the pronunciation of words. Words, Pairs and Pronunciations read the
// data for training and testing spellers.
package speller
