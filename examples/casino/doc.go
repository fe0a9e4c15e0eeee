// Casino finds out when a casino used a loaded die, from the throws alone.
//
// The casino has a fair die and one that shows a six every other time, and swaps
// them now and then (Durbin, Eddy, Krogh and Mitchison 1998, §3.1). A hidden Markov
// model with two states (package models/hmm) is trained on the throws by expectation
// maximization; its most probable sequence of states says which die was used when.
//
// This program imports public packages alone, and can be the beginning of a program of your own:
// model.go has the model, evenings.go the data and main.go what is done with them; flags.go and
// files.go are the same for any program.
//
//	go run ./examples/casino
//
// Without -data the throws are simulated, and the program knows the truth. It prints the log
// likelihood by the true model and by the fitted one, which is at least as high, the two
// models, and the share of throws whose die was told right. -data reads throws, and optionally
// dice, from a file.
//
// A fitted model can be saved, and reads further evenings, one a line, each answered by one:
//
//	go run ./examples/casino -data evenings.txt -save model
//	echo 3154266466634616651233?61 | go run ./examples/casino -load model -apply -
//
// # Coming from hmmlearn
//
// The same in Python, for evenings x one after the other with their lengths; observations are
// numbers from 0, and none may be missing:
//
//	m = hmmlearn.hmm.CategoricalHMM(n_components=2, n_iter=200)
//	m.fit(x, lengths)                     -data evenings.txt -save model
//	m.score(x, lengths)                   loglik_fit in the output of -json
//	m.predict(x, lengths)                 -load model -apply evenings.txt
//
// What hmmlearn calls startprob_, transmat_ and emissionprob_ are in the saved model, JSON.
// Models of more states, of vectors, with states that are known, or with a topology of their
// own are a few lines with package models/hmm.
package main
