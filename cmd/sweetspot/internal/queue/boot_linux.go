package queue

import (
	"os"
	"strings"
)

// boot names this run of the machine, by a token of a subject of NATS. Where it is "", each start of a
// server counts as a restart of the machine.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
