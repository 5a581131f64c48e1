package main

// A rule is a part of the law that can be removed by an edit of its source.
type rule struct {
	name    string
	purpose string // completes "It is there to …"
	edits   []edit
}

// An edit replaces every occurrence of old in control/search*.go.
type edit struct{ old, new string }

// rules lists the parts of the law, in the order in which its README explains
// them. A test compares the list with the source.
var rules = []rule{
	{"Little for even units", "measure work that finishes in waves", []edit{
		{"const evenly = 0.1", "const evenly = -1"}}},
	{"learnt evenness", "know what an even window is worth", []edit{
		{"k.even += 0.2 *", "k.even += 0 *"}}},
	{"settling", "leave out the units of the old limit", []edit{
		{"if t < m.until {\n", "if false {\n"}}},
	{"settling on queues", "wait until a queue stands", []edit{
		{"if m.grew > 0 && k.r > 0 && t < m.most {", "if false {"}}},
	{"patches", "know the noise of units that follow each other and are alike", []edit{
		{"k.found = k.found || k.number >= pieceFew", "k.found = false"}}},
	{"windows in a row", "know it at the scale of windows too", []edit{
		{"w.pieces.compare(l.x, w.x, l.comp, w.comp, k.cv2)", ""}}},
	{"longer windows of patchy work", "compare what holds as much as it should", []edit{
		{"return comp >= units*k.patchiness() || t >= patchWindow", "return true"}}},
	{"learnt noise", "know how much pairs scatter", []edit{
		{"*vx += 0.1 *", "*vx += 0 *"}, {"k.burst += 0.1 *", "k.burst += 0 *"}, {"k.vu += 0.1 *", "k.vu += 0 *"}}},
	{"CPU comparisons", "decide by CPU use where that is what counts", []edit{
		{"return a.cpuLed() && c.cpuLed() && ", "return false && "}}},

	{"fair share", "not take others' work for a full machine", []edit{
		{"const fair = 0.3", "const fair = 0"}}},

	{"blind start", "grow while long units have not finished", []edit{
		{"w.idle > 0.5 && float64(n) < 8*s.read.CPUs", "false"}}},
	{"leaps", "reach far knees in fewer steps", []edit{
		{"if c.fast >= 2 &&", "if false && c.fast >= 2 &&"}}},
	{"look-ahead", "see over a flat stretch on the first climb", []edit{
		{"s.ramp(w, 2, ", "s.ramp(w, 0, "}, {"s.ramp(b, 2, ", "s.ramp(b, 0, "}}},
	{"price of a look", "not pay more for a look than it may bring", []edit{
		{"took > max(0.6, 0.05*s.now()) || s.excess+over*took > c.most", "false && took+over > 0"}}},
	{"roof", "not go where no idle CPU is left to use", []edit{
		{"roof < float64(n2)", "false && roof < float64(n2)"}, {"roof < float64(b)", "false && roof < float64(b)"}}},
	{"knee by Little's law", "land below a doubling that brought little", []edit{
		{"if d > -0.05-math.Sqrt(v) {\n\t\tk := 1.1", "if false {\n\t\tk := 1.1"}}},
	{"rest below after a climb", "not look back to where the climb came from", []edit{
		{"s.due.down.at = max(s.due.down.at, now+1)", ""}}},
	{"down first where above lost", "leave a place that is far too high at once", []edit{
		{"if d < -0.1-math.Sqrt(v) {\n\t\ts.due.up.at", "if false {\n\t\ts.due.up.at"}}},
	{"halving", "leave a start that is far too high at once", []edit{
		{"if c.base.n == c.start && c.look > 0", "if false && c.look > 0"}}},
	{"cliffs", "not fall twice off the same edge", []edit{
		{"if k.n > 0 && now < k.until {\n", "if false {\n"}}},

	{"change detector", "notice that the work or the machine changed", []edit{
		{"if d.n < 3 {\n\t\tf := 1", "if d.n >= 0 {\n\t\tf := 1"}}},
	{"CUSUM", "notice small lasting changes", []edit{
		{" || d.hi > 8 || d.lo > 8", ""}}},
	{"CPUs in the detector", "notice a neighbour before throughput tells", []edit{
		{" || d.moved(w) {", " {"}}},
	{"CPU queue in the detector", "notice a neighbour while all CPUs stay busy", []edit{
		{"w.full() && math.Abs(w.q-d.q)", "false && math.Abs(w.q-d.q)"}}},
	{"patience", "not begin again at every alarm of noisy work", []edit{
		{"&& now >= s.patience.until {", "{"}, {"if s.patience.alarm(w.n, math.Abs(dx), s.now()) {", "if s.patience.alarm(w.n, math.Abs(dx), s.now()) && false {"}}},
	{"size of alarms", "hear a change after a false alarm", []edit{
		{"size < patienceSize*max(p.size, patienceFloor)", "true"}}},
	{"confirmation", "ignore one odd window", []edit{
		{"if math.Abs(dx) < 0.1 && !ref.moved(w) {", "if false {"}}},
	{"others took CPUs", "shrink in proportion, at once", []edit{
		{"case w.full() && w.u < 0.85*ref.u && !w.crowded():", "case false:"}}},
	{"drop on a fall", "tell a fallen capacity from slower units", []edit{
		{"case dx < -big && !w.full() && !w.crowded():", "case false:"}}},

	{"fine search up", "find what a doubling is too coarse for", []edit{
		{"if canUp && now >= d.up.at &&", "if false && canUp &&"}}},
	{"fine search down", "find the fewest units", []edit{
		{"if canDown && now >= d.down.at {", "if false && canDown {"}}},
	{"A B B A", "cancel the drift of the machine", []edit{
		{"t.s.measure(t.b, probeUnits, 3, func(_ *Search, w window) {\n\t\tt.wb = w\n\t\tt.s.measure(t.a, probeUnits, 3, t.gotA)\n\t})",
			"t.s.measure(t.a, probeUnits, 3, func(_ *Search, w window) {\n\t\tt.wa = w\n\t\tt.s.measure(t.b, probeUnits, 3, t.gotB)\n\t})"}}},
	{"memory of pairs", "let many short looks add up", []edit{
		{"if e.a != a || e.b != b {", "if e.a != a || e.b != b || now > 0 {"}}},
	{"evidence for each direction", "not forget down while looking up", []edit{
		{"s.pairs = &s.sides[1]", "s.pairs = &s.sides[0]"}}},
	{"the same again", "add up looks that lean down", []edit{
		{"case v == undecided && t.b < t.a && mean > t.need:", "case false && mean > t.need:"}}},
	{"pool", "compare with a second of holding, not with one window", []edit{
		{"if q.n != w.n || ", "if true || q.n != w.n || "}}},
	{"one pair above a queue", "come down fast while units wait for a CPU", []edit{
		{"t.wb.q > 1+0.25*float64(t.b)", "false"}}},
	{"quick accept up", "take a clear gain at once", []edit{
		{" || t.b > t.a && z > sure", " || sure < 0"}}},
	{"tie rule", "decide when evidence leans one way for long", []edit{
		{"case e.n > 6 &&", "case false && e.n > 6 &&"}}},
	{"no ties by noise", "stay where nobody knows", []edit{
		{"e.err() < tieNoise && ", ""}}},
	{"odd pair forgets", "drop evidence that a new pair contradicts", []edit{
		{"if e.n > 2 && math.Abs", "if false && math.Abs"}}},
	{"beyond proportion is change", "not credit the limit with what the machine did", []edit{
		{"if r := d / ln; r > 0 &&", "if r := d / ln; false && r > 0 &&"}}},
	{"ramp after a good step up", "follow a capacity that grew much", []edit{
		{"mean > 0.6*ln && !w.cpuLed()", "false"}}},
	{"halved steps after a clear loss", "get close to an edge", []edit{
		{"case lost && d.step > 1:", "case lost && false:"}}},
	{"8 s back", "not undo a clear gain at once", []edit{
		{"back.wait = 8\n", "back.wait = 2\n"}}},
	{"long rest after a clear loss", "not repeat a mistake every 16 s", []edit{
		{"most = loseMost", "_ = most"}}},
	{"rest at 97 % CPU", "not pay for probes where at most 3 % is to be had", []edit{
		{"!(w.cpuLed() && idle < 0.03)", "!(w.cpuLed() && idle < 0)"}, {"(!w.cpuLed() || idle <= 0.007", "(true || idle <= 0.007"}}},
	{"seat guard", "not take a tie below one unit a CPU", []edit{
		{"w.n > 1 && !w.seated() &&", "w.n > 1 &&"}}},

	{"looks far", "see that slowly filling CPUs gain in the end", []edit{
		{"if now < s.due.far.at {", "if now >= 0 {"}}},
	{"slope", "not give away by steps what a look has found", []edit{
		{"if !p.looked {", "if p.lost >= 0 {"}}},
	{"the machine's use", "measure patchy work that others do", []edit{
		{"return s.model.patchy() && w.attended()", "return false && w.attended()"}}},

	{"sentinel", "see a rise of capacity from the knee", []edit{
		{"if free && now >= d.sentinel &&", "if false && now >= d.sentinel &&"}}},
	{"price of sentinels", "look rarely where a look costs much", []edit{
		{"(now-began)*max(0, -s.due.sentLoss)/0.003, (s.excess-excess)/0.06)", "0*(now-began)*excess)"}}},
	{"scouts", "find better places behind flat stretches", []edit{
		{"if free && now >= d.scout {", "if false {"}}},
	{"look-ahead and scouts", "do either", []edit{
		{"s.ramp(w, 2, ", "s.ramp(w, 0, "}, {"s.ramp(b, 2, ", "s.ramp(b, 0, "},
		{"if free && now >= d.scout {", "if false {"}}},
	{"price of scouts", "bound what scouts add in time and in units", []edit{
		{"20*(now-began), (s.excess-excess)/0.1)", "0*(now-began)*excess)"}}},
	{"below one unit a CPU", "find limits below the number of CPUs", []edit{
		{"if w.n > 1 && w.seated() && now >= d.strict {", "if false {"}}},
	{"hopeless windows end early", "make the look below cheap", []edit{
		{"if m.hope > 0 &&", "if false && m.hope > 0 &&"}}},
	{"app-limited trim", "follow the demand down", []edit{
		{"} else if now >= d.trim {", "} else if false {"}}},
}
