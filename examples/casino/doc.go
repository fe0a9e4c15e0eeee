// Casino finds out when a casino used a loaded die, from the throws alone.
//
// The casino has a fair die and one that shows a six every other time, and swaps
// them now and then (Durbin, Eddy, Krogh and Mitchison 1998, §3.1). A hidden Markov
// model with two states (package models/hmm) is trained on the throws by expectation
// maximization; its most probable sequence of states says which die was used when.
//
//	go run ./examples/casino
//
// Without -data the throws are simulated, and the program knows the truth: it prints
// the log likelihood under the true model and under the fitted one, which is at
// least as high, the two models side by side, and the share of throws whose die was
// told right. -data reads throws, and optionally dice, from a file.
package main
