// Package spool keeps what no server has acknowledged yet on disk, and sends it.
//
//	c, err := client.New(url, client.FromEnv(os.Getenv))
//	s, err := spool.Open(spool.Config{
//		Dir:     filepath.Join(state, "spool"),
//		Targets: map[string]push.Target{"otlp": otlp.New(c, version)},
//		Log:     log.Println,
//	})
//	err = s.Add(batch)               // on disk when it returns
//	err = s.Flush(ctx, time.Now())   // each interval
//	err = s.Close()
//
// # Worked example
//
// A server is down from 12:00 to 13:30. Each minute has a batch of 40 kB, so that the folder otlp has 90 files, 3.6 MB:
//
//	00000000000000000001-6WKTSN3DAVHQE.batch   12:00, 1 minute
//	00000000000000000002-XF4RZ2MPQ7LTA.batch   12:01, 1 minute
//	...
//
// With room for 2 MB neighbouring ones would be added up: 12:00, 2 minutes; 12:02, 2 minutes; and so on. At 13:31 the
// Flush adds up what is more than half an hour old. It sends the sum as one batch that ends now, since servers refuse
// what is an hour old. The last half an hour is sent as it was. All totals are what they would have been.
//
// # How often
//
// A batch is delivered at least once. The name of a file says that it is being sent. So a crash then is counted, as are
// requests without an answer: Stats.Doubtful is how many batches may be there twice. A server that gives no answer, or whose
// gateway answers for it, is left alone for longer each time, up to ten minutes. The last Flush, with a deadline, asks it all the
// same. What it may have is added up with others only where there is no room. The name of its file says so after a restart.
//
// An agent must not lose nor repeat what is between its counters and Add, either. It gives batches ascending numbers,
// Batch.Seq, writes its new state and the batches in one file, by rename, and then adds them. After a crash it adds the
// batches of that file again: those that were added before are ignored. If its state is lost, it goes on above
// all earlier numbers. The agent's begin with the time in ns.
//
// # What is not taken
//
// A server may take most batches, and hold one whenever it is sent. Such a batch stays by itself. When it was held three times,
// it is divided in halves until the part is found; the rest is delivered. The part is set aside when it was held against batches
// that are taken three times more. It goes into the folder refused, one file for each key, of which Config.Log is told. What is
// delivered and what is set aside add up to what was added.
//
// # Not handled
//
// Two Senders in one folder. Keys without end. There is at least one file for each combination of name, labels and
// tables. So with more than some hundred thousand of them the limit of bytes is exceeded, which is told once.
package spool
