// Privacy fits a linear regression to statistics that people release under local
// differential privacy (package moments/privacy), and says how well it predicts for how much
// privacy.
//
// Everybody releases one record, which says little of him, and the weights are learnt from these
// records alone. By the mechanism gradients, the best, people are asked in rounds how the weights
// so far are to change; by others they release products of their values. Package
// internal/regression has all of them, with their sources.
//
//	go run ./examples/privacy
//	go run ./examples/privacy -data california_housing.csv.gz -epsilon 2 -save regression.json
//	go run ./examples/privacy -load regression.json -apply people.csv
//
// Without -data the people are simulated. In each of -trials four fifths of the rows release
// records and the others are predicted. Printed is R², 1 − Σ(ŷ−y)²/Σ(y−ȳ)², by ε, and the
// regression on records of all, as an equation.
//
// A saved regression is a JSON object: names, declared ranges, and weights. A line of -apply has
// the features of a person in the order of the table, without the target; values out of the
// declared ranges are clipped. With -o the test writes the predicted target of each row.
//
// # A rehearsal
//
// The program has the rows of all, plays what each of them would release, and so says what a
// regression would reach before anybody is asked. For the same results every time it draws from
// a predictable source, so that its records protect nobody; nor does a saved regression. Ranges
// must be known without the data: the program, which has no other knowledge, takes them from the
// rows that release. They reach 1.5 standard deviations to both sides for products, and 2 for
// gradients. Real records, with an account of who has spent which ε, are the matter of package
// moments/privacy.
//
// # What to expect
//
// A table of 11 correlated features and 4,898 rows has an R² of .275 without privacy. There
// gradients reach four fifths of what any mechanism can at ε = 1, and nearly all that there is
// from ε = 4 on. On tables on which nothing was chosen it is three quarters at ε = 1 and 2, on
// average, and between two thirds and nine tenths on most. By products hardly more than noise is
// seen of so few rows. PERFORMANCE.md has the tables, other data, and all mechanisms beside each
// other; internal/experiments/privacy makes them.
//
// # Coming from diffprivlib
//
// LinearRegression of diffprivlib is private towards those who see the weights: who fits them has
// seen every row. Here nobody sees a row, and the same ε leaves far more noise; the scores are not
// to be compared. It is in no package of Debian.
//
//	LinearRegression(epsilon=2, bounds_X=…, bounds_y=…).fit(X, y)
//	privacy -data table.csv -epsilon 2
package main
