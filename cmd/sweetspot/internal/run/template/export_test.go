package template

var (
	SplitPath = splitPath
	Extension = extension
)

// Expand returns the words of a command for one value.
func Expand(words []string, mark, val string, seq int64) []string {
	got, err := TryExpand(words, mark, val, seq)
	if err != nil {
		panic(err)
	}
	return got
}

// TryExpand is Expand of words that may be refused.
func TryExpand(words []string, mark, val string, seq int64) ([]string, error) {
	t, err := New(words, mark, Shape{Most: 1})
	if err != nil {
		return nil, err
	}
	return t.Expand(nil, []string{val}, Place{Seq: seq, Slot: 1}), nil
}

// ExpandShell is TryExpand of a line for a shell, with {} for the values of a job.
func ExpandShell(sh, line string, seq int64, vals ...string) ([]string, error) {
	t, err := NewShell(sh, line, "{}", Shape{Most: len(vals)})
	if err != nil {
		return nil, err
	}
	return t.Expand(nil, vals, Place{Seq: seq, Slot: 1}), nil
}

// ExpandCmd returns the command line of cmd.exe for the line of -c, and what the environment
// gets.
func ExpandCmd(line string, columns int, vals ...string) (string, []string, error) {
	t, err := NewCmd(line, "{}", Shape{Most: columns})
	if err != nil {
		return "", nil, err
	}
	return CmdLine(t.Expand(nil, vals, Place{Seq: 1, Slot: 1}), nil)
}
