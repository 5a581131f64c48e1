// Package learnt keeps what was learnt about some work from one process to the next.
//
// A [Lesson] is a file of its own, of some hundred bytes, whose name tells the work, the host
// and its CPUs (see [File]). It is replaced as a whole, so processes may read and write it at
// the same time; the last one counts. A folder keeps the newest [Most].
//
// A [Law] begins with a lesson, but does not trust it: it tries the limit, leaves it if less
// is done there than the lesson says, and learns anew.
package learnt
