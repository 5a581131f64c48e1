package main

// A rule is a part of the law that can be removed by an edit of its source.
type rule struct {
	name    string
	purpose string // completes "It is there to …"
	edits   []edit
}

// An edit replaces every occurrence of old in control/search*.go.
type edit struct{ old, new string }

// rules lists the parts of the law, in the order of its files: meter, work, change,
// climb, looks, duels, hold. A test compares the list with the source.
var rules = []rule{
	{"settling", "leave out the units of the old limit", []edit{
		{"m.settling, m.grew = true,", "m.settling, m.grew = false,"}}},
	{"waiting for a queue", "measure when a queue stands, not while it builds up", []edit{
		{"return m.grew <= 0 || k.r == 0", "return true || slow || m.grew <= 0 || k.r == 0"}}},
	{"waiting for the heap", "measure when the heap has its new size", []edit{
		{"if m.grew > 0 && k.gc >= heapBusy &&", "if false && m.grew > 0 && k.gc >= heapBusy &&"}}},
	{"Little's law for even units", "measure work that finishes in waves", []edit{
		{"const evenly = 0.1", "const evenly = -1"}}},
	{"brief windows", "climb fast where the CPUs are bored", []edit{
		{"m.quick = units <= rampUnits &&", "m.quick = false && units <= rampUnits &&"}}},
	{"tripwire", "end a window that cannot show what it must", []edit{
		{"if m.hope == 0 ||", "if true || m.hope == 0 ||"}}},

	{"fair share", "not take others' work for a full machine", []edit{
		{"const fair = 0.3", "const fair = 0"}}},
	{"learnt noise", "know how much pairs and windows scatter", []edit{
		{"*v = max(*v+rate*(", "*v = max(*v+0*rate*("}}},
	{"CPU use for throughput", "know more of work that lives by CPU", []edit{
		{"return a.led() && b.led() && !(", "return false && a.led() && b.led() && !("}}},
	{"error of CPU use", "let throughput decide where a CPU second is worth more", []edit{
		{"const efficiency = 0.05", "const efficiency = 0"}}},
	{"doubt about full CPUs", "look up again where full CPUs were no bound", []edit{
		{"!(k.doubt && a.full() && b.full())", "true"}, {"a.full() && !s.work.doubt && float64(a.n)", "a.full() && float64(a.n)"}}},
	{"full CPUs as evidence", "know that more units do no more on full CPUs", []edit{
		{"!(k.doubt && a.full() && b.full())", "!(a.full() && b.full())"}, {"a.full() && !s.work.doubt && float64(a.n)", "false && float64(a.n)"}}},
	{"social gain", "weigh what other loops of the process lose", []edit{
		{"if b.crowd > 0 {\n\t\td, v = social", "if false {\n\t\td, v = social"},
		{"if d.o.n > 0 {\n\t\tgain, v = social", "if false {\n\t\tgain, v = social"}}},
	{"half for others unknown", "not take from others what nobody sees", []edit{
		{"return d + w*others - (1-w)*half,", "return d + w*others,"}}},

	{"change detection", "notice that the work or the machine changed", []edit{
		{"return d.n >= 3 && dx >", "return false && dx >"}}},
	{"confirmation", "ignore one odd window", []edit{
		{"if s.doing == confirming && s.usual.changed(w, &s.work) {", "if s.doing == confirming {"}}},

	{"blind start", "grow while long units have not finished", []edit{
		{"n, most := s.home, int(max(blindMost, 8*s.read.CPUs)); s.waited", "n, most := s.home, 0; s.waited"}}},
	{"leaps by four", "reach far knees in fewer steps", []edit{
		{"if c.fast >= 2 &&", "if false && c.fast >= 2 &&"}}},
	{"stairs", "see over one step that did not pay", []edit{
		{"|| c.stair >= c.stairs ||", "|| true ||"}}},
	{"stairs beyond the first", "see over a long flat stretch", []edit{
		{"|| c.stair >= c.stairs ||", "|| c.stair >= min(c.stairs, 1) ||"}}},
	{"price of stairs", "not pay more units for a look than it may bring", []edit{
		{"c.stair > 0 && s.excess+over*took > c.most", "false && s.excess+over*took > c.most"}}},
	{"knee by Little's law", "land below a doubling that brought little", []edit{
		{"if d > -0.05-se && (!c.far || n != c.start) {", "if false {"}}},
	{"descend", "leave a start that is far too high at once", []edit{
		{"if n >= a.n || a.seated() {", "if true {"}}},

	{"looks up", "find what a doubling is too coarse for", []edit{
		{"up:    !crowded,", "up:    false && crowded,"}}},
	{"looks where the limit binds at times", "help batches with pauses between them", []edit{
		{"boundLeast = 0.05", "boundLeast = boundEnough"}}},
	{"price of looks up", "look rarely beyond an edge", []edit{
		{"if k == up {\n", "if false {\n"}}},
	{"looks down", "find the fewest units", []edit{
		{"down:  bound && a.n > 1 && !a.seated(),", "down:  false,"}}},
	{"seat guard", "not take a tie below one unit a CPU", []edit{
		{"down:  bound && a.n > 1 && !a.seated(),", "down:  bound && a.n > 1,"}}},
	{"far looks", "find better places behind flat stretches", []edit{
		{"far:   bound && a.crowd == 0,", "far:   bound && false,"}}},
	{"looks below", "find limits below the number of CPUs", []edit{
		{"below: bound && a.n > 1 && a.seated(),", "below: false,"}}},
	{"linger", "let long units finish, too, where units share the CPUs", []edit{
		{"if d.rules.linger { // short", "if false { // short"}}},
	{"far look after a move", "look up again from where steps have led", []edit{
		{"f.at = min(f.at, now+upMost)", "_ = f"}}},
	{"ramp after a good step up", "follow a capacity that grew much", []edit{
		{"if s.active == up && gain-err > 0.6*ln &&", "if false && s.active == up && gain-err > 0.6*ln &&"}}},
	{"steep halving of steps", "get close to an edge", []edit{
		{"case steep && l.step > 1 &&", "case false && steep && l.step > 1 &&"}}},
	{"large steps in company", "see what others do by steps that show it", []edit{
		{" && d.o.n == 0 &&", " &&"}}},
	{"the same again for far duels", "add up looks that lean up", []edit{
		{"if k == far && gain > d.rules.need {", "if false {"}}},
	{"price of looks", "look rarely where a look costs much", []edit{
		{"l.gap = max(s.price(lost, priceLost),", "l.gap = max(s.price(0*lost, priceLost),"}}},

	{"A B B A", "cancel the drift of the machine", []edit{
		{"\t\tnext = w.n\n", "\t\tnext = d.a + d.b - w.n\n"}}},
	{"memory of duels", "let many short looks add up", []edit{
		{"if d.a != a || d.b != b {", "if true {"}}},
	{"ties", "decide when pairs lean one way for long", []edit{
		{"case d.rules.tie && d.x.n > 6", "case false && d.x.n > 6"}}},

	{"app-limited trimming", "follow the demand down", []edit{
		{"} else if now >= d.trim {", "} else if false {"}}},
}
