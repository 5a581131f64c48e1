package sense

import "bytes"

// A processStat is what we need of /proc/PID/stat.
type processStat struct {
	parent  int
	ticks   uint64 // user and system time, waited children included
	threads int
	pages   uint64 // resident
	asleep  bool   // its first thread neither runs, nor wants to, nor waits for a disk
}

// processTimes parses /proc/PID/stat. The second field, the name in
// parentheses, may hold anything, so the fields are counted from the last
// closing one.
func processTimes(b []byte) (st processStat, ok bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 || i+3 > len(b) {
		return st, false
	}
	st.asleep = b[i+2] != 'R' && b[i+2] != 'D'
	field := 2
	for text := range bytes.FieldsSeq(b[i+1:]) {
		if field++; field == 3 { // the state, a letter
			continue
		}
		v, _, isNumber := number(text) // negative ones, such as tpgid, are skipped
		switch field {
		case 4:
			st.parent = int(v)
		case 14, 15, 16, 17:
			st.ticks += v
		case 20:
			st.threads = int(v)
		case 24:
			st.pages = v
			return st, isNumber
		default:
			continue
		}
		if !isNumber {
			return processStat{}, false
		}
	}
	return processStat{}, false
}
