// Convexem trains Bayesian networks with a hidden variable by EM from random starts and by
// its convex relaxation (package convex), and compares what they lose on other rows: the
// pattern of Table 1 of the paper.
//
//	go run ./examples/convexem                                       # naive Bayes
//	go run ./examples/convexem -network cancer -train-rows 50 -plot m.svg
//	go run ./examples/convexem -network alarm.bif.gz -hidden CATECHOL -recover soft
//	go run ./examples/convexem -data breast-cancer.csv.gz
//
// In each repeat rows are drawn from a network (or, for a table, from its rows), variables
// are hidden, and tables are fitted with a ridge β on log strengths: with nothing hidden; by
// Viterbi and by marginal EM, from ten starts that label rows at random; and by convex EM,
// which solves the relaxation and recovers parameters from its relation. The loss is the
// mean of −ln P over complete rows, hidden values included, in nats. A hidden state may be
// called anything. In the first table of the output states are matched with the true ones
// by the permutation with the least loss on training rows, in the second they are called
// what they came out as. The figure shows the relation before and after rounding.
//
// # Recovery
//
//	-recover hard     labels, by k-means or at random, whichever has the better objective
//	-recover soft     the paper's map of rows into the simplex, and their expected counts
//	-recover select   the average of networks, weighted by what they say of rows as observed
//
// What is averaged needs no label. There are five networks: of the soft map, of the labels by
// k-means, and of the best three random labellings. Marginal EM from each makes five more.
// Each weighs exp(ln P of the training rows as observed + log prior), and so in proportion
// to its posterior density. Hidden states are named alike by their posteriors. Expected
// counts are averaged, and the M step makes one network of them.
//
// # Networks
//
// The synthetic networks have variables of 3 states: a root with six children (naive-bayes);
// A, B → H → C, D → E (six-nodes); and three layers of 3, 2 and 4, with A, B → G, B, C → H,
// G → D, H → F, and E and I below both (three-layers). They were drawn once, naive-bayes-2
// and so on with another seed; a test draws them again. The others that come with the
// program are metastatic cancer, asia and survey. A table is naive Bayes with the class
// hidden; columns of more than 4 numbers are cut at the median of the training rows, and
// rows with missing cells are left out.
//
// # Results
//
// Test losses with supervised training and with convex EM (select). Then what others lose
// more than convex EM, repeat by repeat: mean ± standard error, and in how many repeats of
// ten convex EM wins. There are 100 rows to train on and 1000 to test, or what there is,
// β = 1, -seed 2. This makes the tables, the .gz files being in ../shared/data:
//
//	go test ./examples/convexem -run TestResults -results
//
// How to average was chosen by test losses of -seed 1 on the networks of the first table,
// and of other networks of the synthetic kinds. Nothing was chosen on those held out, or on
// -seed 2; but rows of a .csv file are in the draws of both seeds.
//
//	                        super. convex Viterbi, best   marginal, best  hard labels     soft labels
//	three-layers G,H          7.06   7.17 +0.187±.106  9 -0.000±.000  6 +0.520±.029 10 +0.907±.012 10
//	six-nodes H               4.55   4.60 +0.177±.072  8 -0.000±.000  3 +0.028±.011  9 +0.276±.011 10
//	naive-bayes H             4.79   4.80 -0.003±.002  3 +0.000±.000  5 -0.001±.002  5 +0.415±.012 10
//	cancer BrainTumor         2.27   2.51 +0.332±.140  8 -0.001±.011  2 +0.041±.114  4 +0.212±.037 10
//	cancer MetastaticCancer   2.27   2.33 +0.315±.023 10 +0.040±.017  9 +0.322±.023 10 -0.002±.017  6
//	asia either               2.35   2.38 -0.028±.012  1 +0.001±.001  4 -0.019±.015  3 +0.055±.009 10
//	asia bronc                2.35   2.42 +0.535±.091 10 -0.003±.001  2 +0.646±.044 10 +0.085±.015 10
//	asia smoke                2.35   2.47 +1.453±.032 10 -0.007±.008  4 +1.453±.032 10 -0.108±.011  0
//	survey E                  4.04   4.21 +0.420±.062 10 -0.002±.002  3 +0.414±.063 10 -0.025±.023  4
//	cancer.bif Cancer         2.18   2.66 +0.161±.081  8 +0.001±.007  3 +0.131±.107  7 -0.064±.087  5
//	alarm.bif CATECHOL       11.90  12.08 -0.049±.040  3 +0.010±.002 10 -0.070±.021  2 -0.082±.022  0
//	alarm.bif LVEDVOLUME     11.90  11.91 +0.003±.006  3 -0.000±.000  1 +0.033±.014  8 +0.196±.013 10
//	alarm.bif VENTLUNG       11.90  11.94 +0.071±.020  8 -0.008±.008  2 +0.097±.033  9 +0.358±.024 10
//	pima-indians-diabetes     6.03   6.61 +0.292±.069 10 +0.019±.009  7 +0.143±.059  8 -0.137±.131  3
//	breast-cancer            10.12  10.73 +0.388±.132 10 +0.299±.122  7 +0.356±.124  8 -0.076±.177  6
//	breast-cancer-wisconsin   4.21   4.26 -0.002±.003  6 -0.000±.000  6 +0.002±.005  5 +0.243±.021 10
//
// Held out:
//
//	                        super. convex Viterbi, best   marginal, best  hard labels     soft labels
//	three-layers-2 G,H        7.27   7.45 +0.256±.114 10 +0.000±.000  6 +0.405±.030 10 +0.737±.027 10
//	six-nodes-2 H             5.16   5.23 +0.226±.066  9 -0.000±.000  2 +0.079±.026  9 +0.223±.008 10
//	naive-bayes-2 H           4.99   5.00 -0.002±.002  4 -0.000±.000  5 +0.006±.005  6 +0.350±.017 10
//	cancer SerumCalcium       2.27   2.34 +0.250±.025 10 +0.001±.001  4 +0.269±.012 10 +0.041±.014  8
//	asia lung                 2.35   2.84 -0.490±.019  0 +0.003±.011  4 -0.484±.016  0 +0.214±.031 10
//	survey O                  4.04   4.42 -0.171±.089  3 +0.037±.012  9 -0.011±.107  6 -0.234±.046  0
//	alarm.bif HYPOVOLEMIA    11.90  11.97 +0.181±.071  8 -0.003±.001  2 +0.224±.059 10 -0.002±.015  6
//	alarm.bif VENTALV        11.90  12.04 +0.004±.009  6 -0.001±.001  2 +0.043±.022  9 +0.132±.014 10
//	alarm.bif HR             11.90  11.90 -0.002±.001  3 -0.000±.000  1 +0.009±.004  6 +0.213±.012 10
//	alarm.bif INTUBATION     11.90  11.94 +0.337±.108  9 -0.005±.006  2 +0.057±.018  8 +0.719±.123 10
//
// Beside the best of ten starts of marginal EM convex EM ties or wins, by .04 on
// MetastaticCancer and survey's O and .3 on breast-cancer. Where its mean loses, it is by
// .008 at most, within two standard errors or by .003.
//
// Beside the best of ten starts of Viterbi EM it wins on 16 of 26, by .1 to 1.5 nats on 15,
// and ties within .004 on 6 more. It loses on asia's either (.03), CATECHOL (.05 ±.04),
// survey's O (.17) and asia's lung (.49). Marginal EM loses as much there: what it makes
// likelier are rows as observed, and hidden values are not among them.
//
// Hard labels lose .3 to 1.5 nats on MetastaticCancer, bronc, smoke and survey, where the
// soft map of the same relation loses .09 at most and on some wins. So what is lost there is
// lost by rounding, not by the relaxation. Where labels are easy (naive Bayes, Wisconsin,
// most of alarm) the soft map alone loses .1 to .7: rows lie within the simplex, not in its
// corners. The average is better than the better of the two, or within .03. But on CATECHOL,
// smoke, lung, survey's O, cancer.bif, Pima and breast-cancer one is .06 to .5 better.
//
// With 50 rows (-rows 50) convex EM loses more: to Viterbi EM on 10 of 26, by .55 on lung, by
// .1 on BrainTumor and survey's O, by .08 ± .08 on CATECHOL and by .04 or less elsewhere; to
// marginal EM on 4 by more than .004, by .014 at most. With 150 rows it loses to Viterbi EM on
// lung, by .44, and on either, by .007 ± .010, and to marginal EM on 6, by .019 at most.
//
// Unmatched, the order of rivals is that of chance: names are drawn, and standard errors are
// as large as differences.
//
//	                        super. convex Viterbi, best   marginal, best  hard labels     soft labels
//	three-layers G,H          7.06  12.32 +0.303±.464  7 -0.469±.635  4 +0.486±.661  6 -1.777±.562  1
//	six-nodes H               4.55   7.40 +0.617±.570  6 +0.307±.466  4 -0.015±.442  8 -1.031±.332  2
//	naive-bayes H             4.79  10.20 +0.685±2.01  6 +1.262±1.54  4 -0.302±1.02  5 -1.745±.933  3
//	cancer BrainTumor         2.27   3.06 +1.030±.422  8 -0.107±.096  5 +1.166±.482  8 -0.166±.167  5
//	cancer MetastaticCancer   2.27   2.86 +1.570±.556  7 -0.302±.133  4 +1.567±.498  8 -0.033±.190  7
//	asia either               2.35   4.09 -0.659±1.10  3 -0.616±.832  1 -0.056±.566  6 +1.305±.699  7
//	asia bronc                2.35   2.76 +0.631±.318  7 +0.032±.189  6 +0.773±.199  8 +0.302±.132  9
//	asia smoke                2.35   2.54 +1.377±.042 10 -0.014±.014  4 +1.390±.049 10 -0.001±.052  4
//	survey E                  4.04   4.25 +0.752±.128 10 -0.029±.031  5 +0.933±.243 10 +0.096±.137  4
//	cancer.bif Cancer         2.18   2.87 +0.833±.350  8 -0.023±.172  3 +0.883±.313  8 +0.097±.163  5
//	alarm.bif CATECHOL       11.90  13.07 +0.055±.492  4 -0.332±.514  5 +1.092±.562  7 +0.162±.367  4
//	alarm.bif LVEDVOLUME     11.90  15.25 +0.194±1.00  6 +1.149±1.34  7 +0.720±.626  6 +0.046±.699  4
//	alarm.bif VENTLUNG       11.90  17.34 +2.423±1.25  6 +0.792±1.60  7 +0.519±1.29  5 -2.641±1.22  4
//	pima-indians-diabetes     6.03   7.31 +0.270±.130  8 -0.160±.247  6 +0.201±.143  6 -0.481±.215  2
//	breast-cancer            10.12  12.22 -0.513±.537  7 -0.375±.498  6 -0.317±.322  5 -0.569±.469  4
//	breast-cancer-wisconsin   4.21   8.86 +2.346±3.41  6 +2.387±2.39  7 -2.272±1.52  4 -2.953±1.49  6
//
// Held out:
//
//	                        super. convex Viterbi, best   marginal, best  hard labels     soft labels
//	three-layers-2 G,H        7.27  12.38 -1.031±.716  3 -0.410±.583  6 +0.677±.640  8 -1.836±.471  1
//	six-nodes-2 H             5.16   7.35 -0.138±.658  3 -0.049±.553  2 +0.475±.201  9 -0.484±.233  2
//	naive-bayes-2 H           4.99  11.16 -0.431±.677  4 -1.844±1.11  4 -0.785±.936  5 -2.413±.757  2
//	cancer SerumCalcium       2.27   3.23 +0.960±.593  8 -0.372±.443  5 +0.949±.445  9 +0.115±.332  6
//	asia lung                 2.35   3.10 +1.384±.735  5 -0.140±.136  2 +0.042±.521  2 +0.103±.101  6
//	survey O                  4.04   4.48 +0.943±.467  5 +0.082±.107  6 +0.895±.413  7 -0.077±.233  1
//	alarm.bif HYPOVOLEMIA    11.90  12.94 +0.001±.864  6 +0.993±.844  5 +1.332±.534 10 +0.847±.595  6
//	alarm.bif VENTALV        11.90  16.10 +0.164±1.13  4 +1.956±.926  7 +2.163±.743  8 -1.723±.990  3
//	alarm.bif HR             11.90  17.95 +1.896±1.56  8 +1.263±2.03  7 +0.892±2.09  7 -0.554±1.38  4
//	alarm.bif INTUBATION     11.90  17.76 -0.736±1.43  5 +1.205±1.31  8 -0.611±1.73  6 -3.767±.839  2
//
// Margins of 1.5 nats over the best of ten, as published for some networks, are seen on
// smoke alone if states are matched, nearly; if not, naming alone makes such differences.
//
// # Time
//
// Milliseconds of processor time to train on 100 rows, all of select, and ten starts:
//
//	                     convex EM   marginal EM   Viterbi EM
//	three-layers               364            61           18
//	six-nodes                   25            14            5
//	naive-bayes                 33            10            7
//	cancer                      17            18            2
//	asia                        10            12            3
//	survey                      19            18            3
//	alarm                       74           130           39
//
// EM on few rows of few variables is quicker than any relaxation of them. Convex EM takes
// less time than ten starts of marginal EM on cancer, asia and alarm, about as much on
// survey, and two to six times as much on synthetic networks. This makes the table:
//
//	go test ./examples/convexem -run xxx -bench Train -benchtime 5x -cpu 1
//
// The relaxed optimum lies below the objective of the best labels known, by 5 % on alarm and
// by half on Pima: bounds certify that the relaxation is solved, not that labels are good.
//
// Sources: Guo and Schuurmans 2007, §6; the numbers of survey follow Scutari and Denis 2014.
// Which node was hidden in the paper, the tables of its synthetic networks, β and the
// discretization are not published.
package main
