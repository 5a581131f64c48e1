// Package humanize writes numbers and texts for people, and reads what people write.
//
//	Grouped(12345)                 12,345
//	Count(1, "jobs")               1 job
//	Number(0.03124)                0.0312
//	Format(1_774_277, "ns/run")    1.77 ms/run
//	ParseTime("1d12h")             36h0m0s
//
// [UnitFor] picks one unit for all figures of a table or an axis. [Wrap] and [Clip]
// fit text into columns. [Time] is a length of time on a command line.
package humanize
