package run

// hidden is what this system does not show, in words; "" if nothing.
const hidden = ""
