package run

// defaultShell runs the lines of -c, unless another shell is wanted.
const defaultShell = "cmd.exe"
