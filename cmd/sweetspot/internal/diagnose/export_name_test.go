package diagnose

// FileName is the name of the directory of a benchmark's recordings.
var FileName = fileName

// Quoted is a flag among those that the go command splits at spaces.
var Quoted = quoted
