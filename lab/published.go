package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// The figures of the articles, in the units of the points that they are compared with:
// where an article did more work, by the unit of work. A figure with a place on the axis
// and no height is a number that was best.

// articleLinks are where the articles are, as far as they have an address of their own.
var articleLinks = map[string]string{
	articleSharing:    "https://appliedgo.net/concurrencyslower/",
	articleGoroutines: "https://pkg.go.dev/fillmore-labs.com/blog/goroutines",
	articleFeedback:   "https://speakerdeck.com/player/aa53e4353d9b4efc9064eefba40e13b7",
}

// published returns those of an experiment that does n units of work.
func (e *experiment) published(n int) []figures.Published {
	all := publishedFigures[e.id]
	if e.id == "A4" { // its times are those of a whole run
		part := float64(n) / float64(e.size.article)
		all = []figures.Published{
			{Label: "Do", X: 12, Y: 21_429 * part, Unit: "ms", Text: "240 ms are 1.12 %, so about 21.4 s for 30,000 units"},
			{Label: "Do", X: 24, Y: 21_189 * part, Unit: "ms", Text: "240 ms less than with 12"},
		}
	}
	return all
}

const perAdd, perInt, perRun, perNodeUnit, speedupUnit = "ns/add", "ns/int", "ns/run", "ns/node", "times sequential"

var publishedFigures = map[string][]figures.Published{
	"A6": {{Label: "counting units", Unit: "ms", Slope: claimedSlope, Text: "0.0005 ms for each goroutine"}},
	"B1": {{Label: "serial", Y: 0.60, Unit: perAdd, Text: "6.0 s for 10,000 million numbers"}},
	"B2": {
		{Label: "serial", Y: 0.60, Unit: perAdd, Text: "6.0 s for 10,000 million numbers"},
		{Label: "shared slice", Y: 1.58, Unit: perAdd, Text: "15.8 s"},
	},
	"B3": {
		{Label: "serial", Y: 0.60, Unit: perAdd, Text: "6.0 s for 10,000 million numbers"},
		{Label: "local sums, channel", Y: 0.195, Unit: perAdd, Text: "1.95 s"},
	},
	"C1": {
		{Label: unbuffered, X: 1, Y: 239.718, Unit: perInt, Text: "239.718 ms for 1,000,000, Go 1.0.2"},
		{Label: unbuffered, X: 4, Y: 5359.113, Unit: perInt, Text: "5,359.113 ms"},
	},
	"C2": {
		{Label: buffer100, X: 1, Y: 96.848, Unit: perInt, Text: "96.848 ms for 1,000,000, Go 1.0.2"},
		{Label: buffer100, X: 4, Y: 166.773, Unit: perInt, Text: "166.773 ms"},
	},
	"C3": {
		{Label: channelOfChannels, X: 1, Y: 1041.489, Unit: "ns/request", Text: "1,041.489 ms for 1,000,000, Go 1.0.2"},
		{Label: channelOfChannels, X: 4, Y: 11170.616, Unit: "ns/request", Text: "11,170.616 ms"},
	},
	"C5": {{Label: unbuffered, X: manyClients, Y: wantedRate, Unit: "requests/s", Text: "3,000 requests a second as a limit"}},
	"C7": publishedVersions(),
	"D1": {
		{Label: "Slow", Y: 1.47e6, Unit: perRun, Text: "1.47 ms"},
		{Label: "Slow" + deviation, Y: 18.4e3, Unit: "ns", Aside: true, Text: "18.4 µs"},
	},
	"D2": {
		{Label: "Slow", Y: 1.47e6, Unit: perRun, Text: "1.47 ms"},
		{Label: "Parallel1", Y: 325e6, Unit: perRun, Text: "325 ms"},
		{Label: "Parallel1" + deviation, Y: 6.49e6, Unit: "ns", Aside: true, Text: "6.49 ms"},
	},
	"D3": {
		{Label: "Slow", Y: 1.47e6, Unit: perRun, Text: "1.47 ms"},
		{Label: "Parallel1", Y: 325e6, Unit: perRun, Text: "325 ms"},
		{Label: "Parallel2", Y: 111e6, Unit: perRun, Text: "111 ms"},
		{Label: "Parallel2" + deviation, Y: 3.10e6, Unit: "ns", Aside: true, Text: "3.10 ms"},
	},
	"D4": {
		{Label: "tree, " + perNode, Y: 462e6 / 349_525., Unit: perNodeUnit, Text: "462 ms for 349,525 nodes"},
		{Label: "tree, " + serialMark, Y: 166e6 / 349_525., Unit: perNodeUnit, Text: "166 ms"},
	},
	"D5": {{Label: serialMark, Y: 166e6 / 349_525., Unit: perNodeUnit, Text: "166 ms for 349,525 nodes"}},
	"E6": {
		bestThere(searchScanned, 16, "on 8 CPUs"), bestThere(searchPlain, 4, "on 8 CPUs"),
		bestThere(searchOther, 8, "on 4 CPUs"), bestThere(searchOther, 32, "on 4 CPUs"),
	},
	"E7": {
		bestThere(memoryTasks[0].name(), 512, "on 4 CPUs"), bestThere(memoryTasks[1].name(), 1024, "or more, on 4 CPUs"),
		bestThere(memoryTasks[2].name(), 4, "to 64, on 4 CPUs"), bestThere(memoryTasks[2].name(), 64, "at most, on 4 CPUs"),
	},
	"E8": publishedSpeedups(true),
	"E9": publishedSpeedups(false),
}

// bestThere is a fixed number that was best.
func bestThere(task string, n float64, text string) figures.Published {
	return figures.Published{Label: task + ": " + fixedNumber, Panel: task, X: n, Unit: limitUnit, Text: "best " + text}
}

// publishedSpeedups are those of the article's law, placed at the median limit.
func publishedSpeedups(placed bool) []figures.Published {
	return each(reported, func(f reportedFigure) figures.Published {
		j := f.task(quick)
		p := figures.Published{Label: j.labelOf(governor{name: asPublished}), Panel: j.name, Y: f.speedup, Unit: speedupUnit}
		p.Text = fmt.Sprintf("with a median limit of %g on %g CPUs", f.median, f.cpus)
		if placed {
			p.X = f.median
		}
		return p
	})
}

// publishedVersions are those of C7.
func publishedVersions() []figures.Published {
	return concat(versions, func(v version) []figures.Published {
		return []figures.Published{
			{Label: v.label, X: 1, Y: v.one, Unit: "ns/value", Text: v.release + ", 1 thread"},
			{Label: v.label, X: 4, Y: v.four, Unit: "ns/value", Text: v.release + ", 4 threads"},
		}
	})
}
