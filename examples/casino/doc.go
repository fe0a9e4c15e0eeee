// Casino finds out when a casino used a loaded die, from the throws alone.
//
// The casino has a fair die and one that shows a six every other time, and swaps
// them now and then (Durbin, Eddy, Krogh and Mitchison 1998, §3.1). A hidden Markov model with
// two states (package models/hmm) is trained on the throws by expectation maximization; its
// most probable sequence of states gives the die of each throw.
//
// This program imports public packages alone, and you can start your own program from it:
// model.go has the model, evenings.go the data and main.go the steps of a run; flags.go and
// files.go are the same for any program.
//
//	go run ./examples/casino
//
// Without -data the throws are simulated, and the program knows the truth. It prints both
// models, the log likelihood by the true model and by the fitted one, which is at least as
// high, and the fraction of throws whose die was identified correctly. -data reads throws, and
// optionally dice, from a file.
//
// A fitted model can be saved, and answers each line of further throws with a line:
//
//	go run ./examples/casino -data evenings.txt -save model
//	echo 3154266466634616651233?61 | go run ./examples/casino -load model -apply -
//
// # Coming from hmmlearn
//
// The same in Python, for evenings concatenated in x with their lengths; observations are
// numbers from 0, without missing ones:
//
//	m = hmmlearn.hmm.CategoricalHMM(n_components=2, n_iter=200)
//	m.fit(x, lengths)                     -data evenings.txt -save model
//	m.score(x, lengths)                   loglik_fit in the output of -json
//	m.predict(x, lengths)                 -load model -apply evenings.txt
//
// The saved model, JSON, contains hmmlearn's startprob_, transmat_ and emissionprob_. Models
// with more states, of vectors, with known states, or with their own topology are a few lines
// with package models/hmm.
package main
