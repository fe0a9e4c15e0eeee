// Command convexem makes the tables of examples/convexem/PERFORMANCE.md, which compare convex
// EM with other methods on many networks, and investigate its losses.
//
//	go run ./internal/experiments/convexem -table losses -seed 2
//	go run ./internal/experiments/convexem -table undecided -seed 2
//	go run ./internal/experiments/convexem -table settings -repeats 10
//	go run ./internal/experiments/convexem -table losses -seed 2 -networks asia#lung
//
// losses has the test losses of all methods, with hidden states renamed to fit the training
// rows best and with their original names, and the time to train. The JSON object also has
// methods that the printed tables omit: an average start of Viterbi EM, and EM from labels and
// from the soft map.
//
// undecided investigates whether rows determine the better network. A method that sees no
// labels returns the same network for any hidden values. So these are redrawn, in the same rows
// that methods saw and are tested on, from P(hidden | observed) of another network. Under that
// network the observed rows are as likely as under the true one. If the methods change places,
// the rows do not determine the better one.
//
// settings has the likelihoods of the final networks of convex EM, by the number of iterations
// of the relaxation. Each is ln P of the training rows plus the log prior, minus the same for
// the best random start of marginal EM, a mean over the repeats, summed over networks. It uses
// no labels and no test rows.
//
// The files of networks and rows, alarm.bif.gz and so on, are in the folders below -folder.
// Missing files are skipped.
package main
