package dissect

import "strings"

// A Group is what CPU time is spent for.
type Group string

// The groups. A function of the runtime belongs to what it was called for: moving
// memory is part of making a string, of sending a value, or of neither.
const (
	Own        Group = "work"                     // all that is not of the runtime, the standard library too
	Allocation Group = "allocation"               // of memory, with making and copying of strings and slices
	Collection Group = "garbage collection"       // marking, sweeping, assists, write barriers
	Channels   Group = "channels and locks"       // without the waiting: that takes no CPU time
	Scheduling Group = "scheduling of goroutines" // starting, switching, looking for and waking, their stacks
	Rest       Group = "rest of the runtime"      // maps, copying, clocks, signals
)

// Groups returns all of them.
func Groups() []Group {
	return []Group{Own, Allocation, Collection, Channels, Scheduling, Rest}
}

// purposes are the beginnings of the names of functions whose group is known.
// The function nearest to the one that runs decides: an assist of the collector
// within an allocation is collection, and the waking of a receiver within a send
// is scheduling.
var purposes = []struct {
	group Group
	names []string
}{
	{Collection, []string{
		"runtime.gc", "runtime.(*gc", "runtime._GC", "runtime.bgsweep", "runtime.bgscavenge", "runtime.sweepone",
		"runtime.(*sweepLocked)", "runtime.(*sweepLocker)", "runtime.scan", "runtime.greyobject", "runtime.markroot",
		"runtime.wbBuf", "runtime.wbMove", "runtime.wbZero", "runtime.bulkBarrier", "runtime.deductSweepCredit",
	}},
	{Allocation, []string{
		"runtime.mallocgc", "runtime.newobject", "runtime.newarray", "runtime.makeslice", "runtime.growslice",
		"runtime.rawstring", "runtime.rawbyteslice", "runtime.rawruneslice", "runtime.slicebytetostring",
		"runtime.stringtoslice", "runtime.slicerunetostring", "runtime.concatstring", "runtime.concatbytes",
		"runtime.intstring", "runtime.makechan", "runtime.profilealloc", "runtime.mProf_Malloc",
	}},
	{Channels, []string{
		"runtime.chan", "runtime.selectgo", "runtime.selectnb", "runtime.closechan", "runtime.send", "runtime.recv",
		"runtime.sem", "runtime.notifyList", "sync.", "internal/sync.",
	}},
	{Scheduling, []string{
		"runtime.schedule", "runtime.findRunnable", "runtime.findrunnable", "runtime.park_m", "runtime.gopark",
		"runtime.goready", "runtime.ready", "runtime.wakep", "runtime.startm", "runtime.stopm", "runtime.handoffp",
		"runtime.newproc", "runtime.goexit", "runtime.gdestroy", "runtime.gosched", "runtime.goyield",
		"runtime.gopreempt", "runtime.preempt", "runtime.asyncPreempt", "runtime.doSigPreempt", "runtime.mcall",
		"runtime.mstart", "runtime.sysmon", "runtime.retake", "runtime.execute", "runtime.gogo", "gogo",
		"runtime.resetspinning", "runtime.runq", "runtime.globrunq", "runtime.stealWork", "runtime.injectglist",
		"runtime.netpoll", "runtime.newstack", "runtime.morestack", "runtime.copystack", "runtime.malg",
		"runtime.stackalloc", "runtime.stackfree", "runtime.gfget", "runtime.gfput", "runtime.acquireSudog",
		"runtime.releaseSudog", "runtime.entersyscall", "runtime.exitsyscall", "runtime.reentersyscall",
	}},
}

// groupOf returns the group of a stack, callees first.
func groupOf(stack []string) Group {
	for i, name := range stack {
		if g, ok := purposeOf(name); ok {
			return g
		}
		if !ofRuntime(name) {
			if i == 0 {
				return Own
			}
			return Rest
		}
	}
	return Rest
}

func purposeOf(name string) (Group, bool) {
	for _, p := range purposes {
		for _, begin := range p.names {
			if strings.HasPrefix(name, begin) {
				return p.group, true
			}
		}
	}
	return "", false
}

// ofRuntime reports whether a function is of the runtime. Names without a package
// are those of its assembly.
func ofRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/") ||
		strings.HasPrefix(name, "runtime/internal/") || !strings.Contains(name, ".")
}
