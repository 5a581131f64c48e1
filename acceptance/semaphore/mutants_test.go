package semaphore

// mutants are wrong steps of limit. Each is a text that stands once in a file, and what
// stands there in its place, where wrong is true for the mutant that is run. The program
// finds it.
var mutants = []struct {
	name         string
	by           program
	file         string
	right, wrong string
}{
	{"TryAcquire overtakes waiters", program{1, "hr ar tr"}, "semaphore.go",
		"if w&waitersBit != 0 || available(w) <= 0 {", "if !wrong && w&waitersBit != 0 || available(w) <= 0 {"},
	{"TryAcquire takes a permit too many", program{1, "ar ar"}, "semaphore.go",
		"available(w) <= 0 {\n\t\t\treturn false", "available(w) < 0 || !wrong && available(w) == 0 {\n\t\t\treturn false"},
	{"Acquire overtakes waiters", program{1, "hr ar ar"}, "semaphore.go",
		"if s.queue.len > 0 {\n\t\treturn false", "if !wrong && s.queue.len > 0 {\n\t\treturn false"},
	{"Acquire queues without a second look", program{1, "ar ar"}, "semaphore.go",
		"if available(w) > 0 {", "if !wrong && available(w) > 0 {"},
	{"Acquire queues without a flag", program{1, "ar ar"}, "semaphore.go",
		"s.word.CompareAndSwap(w, w|waitersBit)", "wrong || s.word.CompareAndSwap(w, w|waitersBit)"},
	{"who gives up drops a permit handed over", program{1, "hr cr x"}, "semaphore.go",
		"\tif w.granted {", "\tif !wrong && w.granted {"},
	{"who gives up leaves the word for the next wait", program{1, "hr irir x tr"}, "semaphore.go",
		"<-w.ready // or", "if wrong {\n\t\t\treturn nil\n\t\t}\n\t\t<-w.ready // or"},
	{"who gives up stays in the queue", program{1, "hr cr x"}, "semaphore.go",
		"\ts.queue.remove(w)\n\ts.noteEmpty()", "\tif !wrong {\n\t\ts.queue.remove(w)\n\t}\n\ts.noteEmpty()"},
	{"the flag stays when nobody waits", program{1, "hr ar tr"}, "semaphore.go",
		"s.word.And(^uint64(waitersBit))", "if !wrong {\n\t\ts.word.And(^uint64(waitersBit))\n\t}"},
	{"the flag goes while somebody waits", program{1, "hr ar cr x"}, "semaphore.go",
		"if s.queue.len > 0 {\n\t\treturn\n", "if !wrong && s.queue.len > 0 {\n\t\treturn\n"},
	{"Release overlooks waiters", program{1, "ar ar"}, "semaphore.go",
		"c-w&attention > MaxLimit {\n\t\ts.settle()", "c-w&attention > MaxLimit && !(wrong && c-w&(attention&^waitersBit) <= MaxLimit) {\n\t\ts.settle()"},
	{"a mistaken Release is taken back without a look", program{1, "m tr tr"}, "semaphore.go",
		"if mistake = s.word.CompareAndSwap(w, w-1); mistake {", "if wrong {\n\t\t\ts.word.Add(^uint64(0))\n\t\t}\n\t\tif mistake = wrong || s.word.CompareAndSwap(w, w-1); mistake {"},
	{"Cancel overlooks waiters", program{1, "hk ar q"}, "semaphore.go",
		"if n := c - w&attention; n == 0 || n > MaxLimit {", "if n := c - w&attention; n == 0 || n > MaxLimit && !(wrong && c-w&(attention&^waitersBit) <= MaxLimit) {"},
	{"a grant hands out a permit too many", program{1, "hr ar ar"}, "semaphore.go",
		"if available(w) <= 0 {\n\t\t\treturn granted", "if available(w) < 0 || !wrong && available(w) == 0 {\n\t\t\treturn granted"},
	{"a grant stops after one", program{1, "h a a 3"}, "semaphore.go",
		"s.queue.grantFirst(&granted)", "s.queue.grantFirst(&granted)\n\t\t\tif wrong && s.queue.len > 0 {\n\t\t\t\treturn granted\n\t\t\t}"},
	{"a grant does not say so", program{1, "hr cr x"}, "queue.go", "w.granted = true", "w.granted = !wrong"},
	{"last in, first out", program{1, "hr ar ar"}, "queue.go", "w := q.head\n\tq.remove", "w := q.head\n\tif wrong {\n\t\tw = q.tail\n\t}\n\tq.remove"},
	{"only the first is woken", program{1, "h a a 3"}, "semaphore.go", "\t\tw = next\n", "\t\tw = next\n\t\tif wrong {\n\t\t\treturn\n\t\t}\n"},
	{"a place is left before its word is taken", program{1, "hrar ar ar"}, "semaphore.go", "len(ready) == 0", "(wrong || len(ready) == 0)"},
	{"SetLimit wakes nobody", program{1, "h ar 2"}, "resize.go", "granted := s.grant()", "var granted chain\n\tif !wrong {\n\t\tgranted = s.grant()\n\t}"},
	{"SetLimit overwrites the word", program{1, "hr ar 2"}, "resize.go",
		"if s.word.CompareAndSwap(w, changed) {", "if wrong {\n\t\t\ts.word.Store(changed)\n\t\t\treturn\n\t\t}\n\t\tif s.word.CompareAndSwap(w, changed) {"},
	{"SetLimit forgets the ceiling", program{1, "hr ar 2"}, "resize.go", "s.ceiling.Store(c)", "if !wrong {\n\t\ts.ceiling.Store(c)\n\t}"},
	{"Renew leaves at the limit", program{2, "hnr hr 1"}, "renew.go", "available(w) < 0", "available(w) < 0 || wrong && available(w) == 0"},
	{"Renew stays above the limit", program{2, "hnr hr 1"}, "renew.go", "available(w) < 0", "!wrong && available(w) < 0"},
}
