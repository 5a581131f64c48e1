// Package diagnose is the command sweetspot diagnose: it runs benchmarks, or a command,
// under profiles and an execution trace, and says where their concurrency loses time.
package diagnose
