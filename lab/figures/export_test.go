package figures

var SourceOf = sourceOf
