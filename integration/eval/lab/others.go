package lab

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// Load averages are of the minutes before, in which another experiment may have run. So what others take is measured while an
// experiment runs: all time of processors, less what this process takes with those that it has waited for.

// A CPUTime is how much time of processors was used up to a moment.
type CPUTime struct {
	at       time.Time
	all, own float64 // s
	known    bool
}

// UsedCPU returns the time that has been used until now.
func UsedCPU() CPUTime {
	u := CPUTime{at: time.Now()}
	own, err := os.ReadFile("/proc/self/stat")
	all := strings.Fields(firstLine("/proc/stat"))
	if err != nil || len(all) < 9 {
		return u
	}
	// Behind "cpu": user, nice, system, idle, waiting, interrupts, other interrupts, stolen. Two more are within the first two.
	for k, text := range all[1:9] {
		if ticks, err := strconv.ParseFloat(text, 64); err == nil && k != 3 && k != 4 {
			u.all += ticks / ticksPerSecond
		}
	}
	// Behind the name, which may have spaces, and the state, user and system time are fields 11 and 12. The next two are of
	// processes that were waited for.
	_, rest, _ := strings.Cut(string(own), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return u
	}
	for _, text := range fields[11:15] {
		ticks, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return u
		}
		u.own += ticks / ticksPerSecond
	}
	u.known = true
	return u
}

// ticksPerSecond is what Linux tells times in, on all processors that Go is for.
const ticksPerSecond = 100

// Others returns how many processors others have used since, in the mean. It returns nil if that is not known.
func (u CPUTime) Others() *float64 {
	now := UsedCPU()
	elapsed := now.at.Sub(u.at).Seconds()
	if !u.known || !now.known || elapsed <= 0 {
		return nil
	}
	cores := max(0, (now.all-u.all-(now.own-u.own))/elapsed)
	return &cores
}
