// Package guest runs programs for linux/arm64 in a machine that is emulated, with a kernel of its own. So signals, timers,
// ptrace(2) and threads are a kernel's, and not those of an emulator that runs one program.
//
// The machine's memory has all files. Its only program is agent, which does what the host asks for over a serial line: package
// wire has the messages. Programs run there under the names that they have here. What they write comes back.
package guest
