// Command convexem makes the tables of examples/convexem/PERFORMANCE.md, which compare convex EM
// with its rivals on many networks, and ask why it loses where it does.
//
//	go run ./internal/experiments/convexem -table losses -seed 2
//	go run ./internal/experiments/convexem -table undecided -seed 2
//	go run ./internal/experiments/convexem -table settings -repeats 10
//	go run ./internal/experiments/convexem -table losses -seed 2 -networks asia#lung
//
// losses has the test losses of all methods, with hidden states named as fits the training rows
// best and as they came out, and the time to train. The JSON object has the methods that the
// printed tables have not: an average start of Viterbi EM, and EM from labels and from the soft
// map.
//
// undecided asks whether rows say which network to prefer. A method that sees no label returns
// the same network whatever the hidden values are. So these are drawn anew, in the very rows that
// methods saw and are tested on, from P(hidden | observed) of another network. Under that the
// rows as observed are as likely as under the true one. If rivals change places, nothing in the
// rows says which of them to prefer.
//
// settings has how likely the networks are that convex EM ends at, by how far the relaxation is
// solved: ln P of the training rows and the log prior, less that of the best random start of
// marginal EM, a mean over the repeats, summed over networks. No label and no test row is seen.
//
// The files of networks and rows, alarm.bif.gz and so on, are in the folders below -folder. Those
// that are not there are left out.
package main
