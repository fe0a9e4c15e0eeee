// Package hidden learns Bayesian networks with hidden variables from rows, by EM from random
// starts and by its convex relaxation (package convex), and tests them on other rows.
//
// A Source is a network to draw rows from, or a file of rows. A Trial draws rows for training and
// for the test, and random starts, and hides variables. Its Restart trains by EM from starts, and
// its Convex from the relaxation. All tables have a ridge on log strengths.
//
// Score is the mean of −ln P over complete rows, hidden values included, in nats. A hidden state
// may be called anything: states are matched with the true ones by the permutation with the
// least loss on training rows. If the rows of a file do not have the hidden values, it is the
// mean of −ln P of the rows as observed.
//
// # Convex EM
//
// Convex averages five networks, which need no label: of the soft map of rows into the simplex
// of the relaxation, of the labels by k-means, and of the best three random labellings. Marginal
// EM takes ten iterations from each, and goes on to the end from the best two. The five starts
// and five ends each weigh exp(ln P of the training rows as observed + log prior), and so in
// proportion to their posterior densities. Hidden states are named alike by their posteriors.
// Expected counts are averaged, and the M step makes one network of them.
//
// Starts for EM need no optimum: for Convex the solver takes three iterations, which say as
// much. For labels and the soft map by themselves it goes on until its bounds are within 3 %.
//
// # Networks
//
// The synthetic networks have variables of 3 states: a root with six children (naive-bayes);
// A, B → H → C, D → E (six-nodes); and three layers of 3, 2 and 4, with A, B → G, B, C → H,
// G → D, H → F, and E and I below both (three-layers). They were drawn once, naive-bayes-2
// and so on with another seed; a test draws them again. The others are metastatic cancer, asia
// and survey, whose numbers follow Scutari and Denis 2014.
//
// Source: Guo and Schuurmans 2007.
package hidden
