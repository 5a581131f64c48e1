package queue

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// timeOfDay is the SYSTEM_TIMEOFDAY_INFORMATION of Windows, in units of 100 ns.
type timeOfDay struct {
	bootTime, currentTime, timeZoneBias int64
	timeZone, _                         uint32
	bootTimeBias, sleepTimeBias         uint64
}

// boot is that of Linux: when the system began, by the clock as it was then. What the clock was set
// by since is in the bias.
func boot() string {
	var t timeOfDay
	if err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation, unsafe.Pointer(&t), uint32(unsafe.Sizeof(t)), nil); err != nil {
		return ""
	}
	return strconv.FormatInt(t.bootTime-int64(t.bootTimeBias), 10)
}
