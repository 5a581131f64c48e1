// Package lab runs the experiments of the articles that this project answers,
// and prints what they claim, what this machine shows, and how the library does
// on the same work.
//
// An experiment is a set of points: variants of the article, perhaps over an
// axis such as the number of workers, and ours beside them. A round measures all
// points of all experiments in turn, each in a fresh process that first warms up
// the CPUs. So a disturbance of the machine affects all points alike, and no
// variant profits from the heap, the code layout or the learning of another.
// A figure is the median over the rounds with its confidence interval; ratios are
// formed within rounds.
//
// The article "Parallelism in Go - Part 2" had the same aim: it measured each point
// three times, and repeated the whole series three times, always after a heavy
// load, because CPUs may clock down at rest; see experiment A7.
//
// The packages below this one serve the command sweetspot and the examples. They may
// change with any release.
package lab
