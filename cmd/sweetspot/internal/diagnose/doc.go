// Package diagnose is the command sweetspot diagnose: it runs benchmarks, or a command,
// under profiles and an execution trace, or reads such recordings, and says where their
// concurrency loses time.
//
// Package record makes the evidence of what is run here, package recording that of what
// others have recorded. The causes look at the evidence alone, and do not know who made it.
package diagnose
