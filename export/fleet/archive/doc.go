// Package archive keeps what the runs of many programs have counted, for months, and adds it up.
//
//	a, err := archive.Create(ctx, "profiles") // or Open, which makes nothing
//	err = a.PutRun(ctx, archive.Run{
//		Host: "web1", Name: "4711.1767225600000000000", Start: start,
//		Service: "shop", Tally: tally.Of(run),
//	})
//	…                                         // again, with what it has counted until then, and at last with Final
//	builds, damaged, err := a.Merge(ctx, archive.Select{Service: "shop"})
//	p, err := builds[0].Profile(new(profile.Tables))
//
// An archive is objects in a store, a folder or a place in a bucket:
//
//	goprofinstr.archive                       the marker, which makes a folder an archive
//	tables/SHA256                             a path table as it was registered, once
//	counts/SERVICE/BUILD/DAY/HOST@RUN         all that a run has counted until now
//	days/SERVICE/BUILD/DAY/NUMBER             the runs of a day that have ended, as one object
//	tmp/…                                     what is being written
//
// DAY is the one, in UTC, on which the run started, and BUILD a hash over its packages and their tables. So a run has one
// name, and its object is overwritten with what it has counted in all. To put it there twice, from two agents or after an
// error, changes nothing. Nothing has to be subtracted, and no order matters.
//
// [Archive.Compact] makes one object of a day's runs, see there. Whatever it has done before it is killed, each run counts once.
// Of the objects below days/ the last that can be read counts, which has what the earlier ones have. A run that is in it does not
// count again.
//
// An object that is damaged, or that is in the place of another, is left out and listed. The others count. An error of the store
// is no damage, and ends whatever reads the archive: a permission that is missing, or an answer of a bucket that is lost.
//
// Runs with different labels are kept apart within the object of a day, so that [Select] can choose them. Their hosts and their
// times are not: what the runs of a day have counted is one number.
//
// Not handled are calling contexts and intervals of estimates, which a tally does not have. Nor are sources, which are
// taken from where a profile is read. Nor are runs that have started more than once with the same host, name and service. A run
// that is put with two hosts or services is two runs.
package archive
