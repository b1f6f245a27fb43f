package tick

// usage is how much of the time by the clock the program works, up to the last tick; ns.
var usage struct {
	wall, cpu         U // between the last two ticks
	thenWall, thenCPU U // at the last one
}

// StartUsage begins the first interval.
//
//go:norace
func StartUsage() { usage.thenWall, usage.thenCPU = WallTime(), CPUTime() }

// NoteUsage ends an interval. Now is the CPU time of the process.
//
//go:norace
func NoteUsage(now U) {
	u, wall := &usage, WallTime()
	u.wall, u.cpu = wall-u.thenWall, now-u.thenCPU
	u.thenWall, u.thenCPU = wall, now
}

// Waits reports whether the program waits most of the time. One that has to share its processor with others looks the
// same, so it is less than a quarter of one.
//
//go:norace
func Waits() bool { return usage.cpu < usage.wall/4 }

// ByClock returns how long the clock goes while a program that waits uses so much CPU time, up to 50 ms.
//
//go:norace
func ByClock(length U) U {
	const longest = 50_000_000
	return min(length*usage.wall/max(usage.cpu, 1), longest)
}
