package run

import "bytes"

// A liner passes text on in whole lines, each behind a tag. A last line without
// a newline gets one: something of another job may follow it.
type liner struct {
	tag  string
	open bool // the last line is not complete yet
}

// append appends text to dst, tagged.
func (l *liner) append(dst, text []byte) []byte {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		if !l.open {
			dst = append(dst, l.tag...)
		}
		dst = append(dst, line...)
		l.open = line[len(line)-1] != '\n'
		text = text[len(line):]
	}
	return dst
}

// end appends what completes the last line.
func (l *liner) end(dst []byte) []byte {
	if l.open {
		l.open = false
		dst = append(dst, '\n')
	}
	return dst
}
