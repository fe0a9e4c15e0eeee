// Convexem trains Bayesian networks with a hidden variable by EM from random starts and by
// its convex relaxation (package convex), and compares what they lose on other rows: the
// pattern of Table 1 of the paper.
//
//	go run ./examples/convexem                                       # naive Bayes, random tables
//	go run ./examples/convexem -network cancer -train-rows 50 -plot m.svg
//	go run ./examples/convexem -network alarm.bif.gz -hidden CATECHOL
//	go run ./examples/convexem -data breast-cancer.csv.gz
//
// In each repeat rows are drawn from a network (or, for a table, from its rows), variables
// are hidden, and tables are fitted with a ridge β on log strengths: with nothing hidden; by
// Viterbi and by marginal EM, from ten starts that label rows at random; by convex EM, which
// solves the relaxation, rounds its relation by k-means or at random, whichever has the
// better objective, and fits the labels; and by EM of both kinds from there. The loss is the
// mean of −ln P over complete rows, hidden values included, in nats. A hidden state may be
// called anything, so states are matched with the true ones first, by the permutation with
// the least loss on training rows; raw is the loss without. The figure shows the relation
// before and after rounding.
//
// The synthetic networks have variables of 3 states: a root with six children (naive-bayes);
// A, B → H → C, D → E (six-nodes); A → G, B → H, G → C, H → E, and D below both G and H
// (three-layers). The embedded ones are metastatic cancer and asia. A table is naive Bayes
// with the class hidden; columns of more than 4 numbers are cut at the median of the training
// rows, and rows with missing cells are left out.
//
// # Results
//
// Test losses, means of 20 repeats, β = 1, 1000 test rows or what there is (-repeats 20);
// and what the rivals lose more than convex EM, repeat by repeat: mean ± standard error
// [wins of convex EM]. Pima, Wisconsin and Ljubljana are tables of the UCI repository.
// Loss is that of supervised training and of convex EM.
//
//	50 rows                         loss   Viterbi, average   Viterbi, best      marginal, best     convex + marginal
//	naive-bayes             5.12   5.14   +0.49 ± 0.06 [20]  +0.00 ± 0.00 [ 5]  +0.00 ± 0.00 [11]  +0.00 ± 0.00 [11]
//	six-nodes               5.03   5.13   +0.49 ± 0.03 [20]  +0.04 ± 0.03 [10]  -0.01 ± 0.01 [ 6]  -0.01 ± 0.01 [ 6]
//	three-layers            5.69   6.10   +0.69 ± 0.09 [19]  +0.30 ± 0.14 [14]  -0.21 ± 0.09 [ 3]  -0.21 ± 0.09 [ 3]
//	cancer, BrainTumor      2.30   2.41   +0.36 ± 0.05 [19]  +0.16 ± 0.07 [10]  +0.16 ± 0.06 [15]  +0.14 ± 0.06 [15]
//	… MetastaticCancer      2.30   2.59   -0.06 ± 0.01 [ 2]  +0.01 ± 0.01 [ 3]  -0.19 ± 0.02 [ 2]  -0.20 ± 0.02 [ 1]
//	asia, either            2.44   2.44   +0.20 ± 0.03 [19]  -0.00 ± 0.00 [ 1]  +0.04 ± 0.01 [20]  +0.04 ± 0.01 [20]
//	… bronc                 2.44   3.03   -0.07 ± 0.04 [ 8]  +0.00 ± 0.03 [ 1]  -0.48 ± 0.03 [ 0]  -0.48 ± 0.03 [ 0]
//	alarm, CATECHOL        12.95  13.02   +0.44 ± 0.03 [20]  +0.12 ± 0.05 [ 9]  +0.17 ± 0.03 [20]  +0.17 ± 0.03 [20]
//	… LVEDVOLUME           12.95  12.97   +0.22 ± 0.03 [19]  -0.01 ± 0.00 [ 1]  +0.01 ± 0.01 [14]  +0.01 ± 0.01 [14]
//	… VENTLUNG             12.95  13.03   +0.13 ± 0.02 [19]  -0.02 ± 0.02 [ 8]  -0.04 ± 0.01 [ 8]  -0.02 ± 0.01 [ 9]
//	Pima                    6.09   6.75   +0.07 ± 0.06 [12]  +0.12 ± 0.07 [14]  -0.03 ± 0.05 [ 8]  -0.03 ± 0.05 [ 8]
//	Wisconsin               4.25   4.25   +0.08 ± 0.03 [ 7]  +0.00 ± 0.00 [ 1]  -0.00 ± 0.00 [ 8]  -0.00 ± 0.00 [ 8]
//	Ljubljana              10.31  10.76   +0.11 ± 0.05 [14]  +0.01 ± 0.06 [10]  -0.06 ± 0.05 [ 9]  -0.07 ± 0.04 [ 8]
//
//	100 rows                        loss   Viterbi, average   Viterbi, best      marginal, best     convex + marginal
//	naive-bayes             4.96   4.97   +0.55 ± 0.05 [20]  +0.00 ± 0.00 [ 5]  +0.00 ± 0.00 [14]  +0.00 ± 0.00 [14]
//	six-nodes               4.88   4.95   +0.72 ± 0.04 [20]  +0.24 ± 0.08 [17]  -0.01 ± 0.01 [ 8]  -0.01 ± 0.01 [ 8]
//	three-layers            5.51   5.94   +0.98 ± 0.07 [19]  +0.28 ± 0.12 [14]  -0.27 ± 0.06 [ 1]  -0.27 ± 0.06 [ 1]
//	cancer, BrainTumor      2.26   2.47   +0.29 ± 0.05 [17]  +0.13 ± 0.06 [ 6]  +0.02 ± 0.06 [10]  +0.00 ± 0.05 [10]
//	… MetastaticCancer      2.26   2.65   -0.06 ± 0.02 [ 3]  -0.00 ± 0.00 [ 3]  -0.32 ± 0.02 [ 0]  -0.33 ± 0.02 [ 0]
//	asia, either            2.34   2.35   +0.33 ± 0.03 [20]  +0.00 ± 0.00 [ 2]  +0.02 ± 0.00 [18]  +0.02 ± 0.00 [18]
//	… bronc                 2.34   3.09   -0.10 ± 0.03 [ 5]  -0.03 ± 0.03 [ 0]  -0.64 ± 0.02 [ 0]  -0.64 ± 0.02 [ 0]
//	alarm, CATECHOL        11.96  12.08   +0.58 ± 0.02 [20]  +0.28 ± 0.09 [12]  +0.09 ± 0.02 [18]  +0.08 ± 0.02 [18]
//	… LVEDVOLUME           11.96  12.01   +0.17 ± 0.03 [20]  -0.03 ± 0.01 [ 2]  -0.03 ± 0.01 [ 2]  -0.03 ± 0.01 [ 2]
//	… VENTLUNG             11.96  12.18   +0.06 ± 0.03 [14]  -0.10 ± 0.03 [ 5]  -0.18 ± 0.03 [ 0]  -0.12 ± 0.02 [ 0]
//	Pima                    6.04   6.69   +0.17 ± 0.06 [17]  +0.14 ± 0.08 [15]  -0.08 ± 0.07 [ 7]  -0.08 ± 0.07 [ 7]
//	Wisconsin               4.20   4.24   +0.11 ± 0.04 [ 8]  -0.00 ± 0.00 [ 2]  +0.00 ± 0.00 [15]  +0.00 ± 0.00 [15]
//	Ljubljana              10.10  10.93   -0.07 ± 0.12 [10]  -0.25 ± 0.13 [ 9]  -0.36 ± 0.12 [ 7]  +0.08 ± 0.05 [12]
//
//	150 rows                        loss   Viterbi, average   Viterbi, best      marginal, best     convex + marginal
//	naive-bayes             4.91   4.92   +0.52 ± 0.06 [20]  +0.00 ± 0.00 [ 7]  -0.00 ± 0.00 [11]  -0.00 ± 0.00 [11]
//	six-nodes               4.82   4.90   +0.83 ± 0.04 [20]  +0.24 ± 0.09 [17]  -0.04 ± 0.01 [ 7]  -0.04 ± 0.01 [ 7]
//	three-layers            5.44   5.93   +1.04 ± 0.06 [20]  +0.22 ± 0.09 [17]  -0.37 ± 0.04 [ 0]  -0.37 ± 0.04 [ 0]
//	cancer, BrainTumor      2.25   2.52   +0.33 ± 0.07 [19]  +0.15 ± 0.07 [ 7]  -0.04 ± 0.08 [12]  -0.06 ± 0.07 [12]
//	… MetastaticCancer      2.25   2.69   -0.05 ± 0.01 [ 3]  +0.01 ± 0.00 [ 3]  -0.37 ± 0.03 [ 0]  -0.40 ± 0.02 [ 0]
//	asia, either            2.31   2.32   +0.33 ± 0.03 [20]  -0.00 ± 0.01 [ 2]  +0.00 ± 0.01 [16]  +0.00 ± 0.01 [16]
//	… bronc                 2.31   3.18   -0.14 ± 0.05 [ 5]  -0.02 ± 0.02 [ 0]  -0.78 ± 0.03 [ 0]  -0.78 ± 0.03 [ 0]
//	alarm, CATECHOL        11.54  11.68   +0.57 ± 0.03 [20]  +0.11 ± 0.06 [ 8]  +0.04 ± 0.01 [13]  +0.03 ± 0.01 [11]
//	… LVEDVOLUME           11.54  11.59   +0.22 ± 0.03 [19]  -0.04 ± 0.01 [ 0]  -0.04 ± 0.00 [ 1]  -0.04 ± 0.00 [ 1]
//	… VENTLUNG             11.54  11.78   +0.11 ± 0.04 [16]  -0.09 ± 0.04 [ 8]  -0.20 ± 0.04 [ 1]  -0.16 ± 0.04 [ 2]
//	Pima                    6.03   6.69   +0.28 ± 0.08 [19]  +0.20 ± 0.09 [18]  -0.09 ± 0.09 [ 9]  -0.11 ± 0.08 [ 8]
//	Wisconsin               4.18   4.23   +0.09 ± 0.04 [ 7]  -0.00 ± 0.00 [ 0]  -0.00 ± 0.00 [ 7]  -0.00 ± 0.00 [ 7]
//	Ljubljana              10.00  10.83   +0.14 ± 0.13 [12]  -0.05 ± 0.19 [11]  -0.14 ± 0.18 [10]  +0.07 ± 0.08 [10]
//
// Beside a random start of Viterbi EM, convex EM wins: by 0.1 to 1 nat, in most repeats or
// all; it ties with it on Ljubljana and loses a little where joint EM itself misleads
// (MetastaticCancer, bronc). Beside the best of ten it ties where labels are easy to find (naive
// Bayes, either, Wisconsin), wins on average where ten starts are sometimes not enough
// (six-nodes, three-layers, BrainTumor, CATECHOL, Pima), in part by few large failures of the
// rival, and loses up to 0.1 nats on LVEDVOLUME and VENTLUNG.
//
// Beside marginal EM from the best of ten starts it wins on CATECHOL and either, and on
// BrainTumor with 50 rows, by 0.02 to 0.17 nats; it loses 0.2 to 0.4 on three-layers, and 0.2
// to 0.8 on MetastaticCancer and bronc, as all hard assignments do; otherwise the two are
// within 0.2 of each other, more often in favour of marginal EM. Marginal EM from the convex
// labels is as good as from the best of ten starts, but for VENTLUNG and Ljubljana, where it
// is worse: the relaxation is a start that takes no luck, not a better objective. On Ljubljana
// what nobody told is found by no method: all lose 0.3 nats and more to supervised training.
//
// The relaxed optimum lies below the objective of the best labels known, by 5 % on alarm and
// by half on Pima: bounds certify that the relaxation is solved, not that labels are good.
// Margins of 1.5 nats over the best of ten, as published, are not seen here; of the losses in
// the program's table only those of states that are not matched (raw) are of that kind.
//
// Source: Guo and Schuurmans 2007, §6. Which node was hidden there, the tables of the
// synthetic networks, β and the discretization are not published.
package main
