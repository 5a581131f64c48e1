package run

// rssUnit is the unit of ru_maxrss in bytes; macOS counts single ones.
const rssUnit = 1
