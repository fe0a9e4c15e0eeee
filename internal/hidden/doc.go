// Package hidden learns Bayesian networks with hidden variables from rows, by EM from random
// starts and by its convex relaxation (package convex), and tests them on other rows.
//
// A Source is a network to draw rows from, or a file of rows. A Trial draws rows for training and
// for the test, and random starts, and hides variables. Its Restart trains by EM from starts, and
// its Convex from the relaxation. All tables have a ridge on log strengths.
//
// Score is the mean of −ln P over complete rows, hidden values included, in nats. Names of
// hidden states are arbitrary: the permutation with the least loss on training rows matches
// states with the true ones. If the rows of a file do not have the hidden values, Score is the
// mean of −ln P of the rows as observed.
//
// # Convex EM
//
// Convex averages five networks, without labels: from the soft map of rows into the simplex of
// the relaxation, from the labels by k-means, and from the best three random labellings.
// Marginal EM takes ten iterations from each, and continues to the end from the best two. The
// five networks at the start and the five at the end each have the weight exp(ln P of the
// training rows as observed + log prior), in proportion to their posterior densities.
// Posteriors match the names of hidden states. The expected counts are averaged, and the M step
// makes one network from them.
//
// Starts for EM need not be optimal: for Convex the solver takes three iterations, which are as
// informative. For labels and the soft map by themselves it continues until its bounds are
// within 3 %.
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
