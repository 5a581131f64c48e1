// Package process starts the processes of sweetspot run, waits for them and signals them.
//
// A [Process] is the first one of a job. On Unix it leads a process group of its own, so that
// a signal reaches all processes of the job and none of ours. How it ended is an [Ending].
//
// A [Set] holds those that run, and what jobs that were told to end have left behind. It
// signals and suspends them together. A guard ends them if we end without doing so.
package process
