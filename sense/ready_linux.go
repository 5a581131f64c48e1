package sense

import "bytes"

// ready returns the processes and threads on this machine that are ready but
// have no CPU, given the CPUs online. It is procs_running of /proc/stat, which
// /proc/loadavg repeats at a fifth of the cost, less one for each CPU and less
// the reader: where the CPUs are the bottleneck it displaced one.
func (h *host) ready(cpus int) float64 {
	running, _, ok := entities(h.read(h.loadavg))
	if !ok {
		return 0
	}
	return max(0, float64(running)-float64(cpus)-1)
}

// entities parses /proc/loadavg, "0.20 0.18 0.12 1/80 11206", and returns how
// many threads are runnable and how many there are.
func entities(b []byte) (running, all uint64, ok bool) {
	slash := bytes.IndexByte(b, '/')
	if slash < 0 {
		return 0, 0, false
	}
	start := bytes.LastIndexByte(b[:slash], ' ') + 1
	running, _, ok = number(b[start:slash])
	if !ok {
		return 0, 0, false
	}
	all, _, ok = number(b[slash+1:])
	return running, all, ok
}
