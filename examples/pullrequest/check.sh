#!/usr/bin/env bash
# Says what a change does to coverage: on standard output, and as Markdown in a file. It exits with 1 if changed lines
# do not have what they must. Before it come the tests: goprofinstr wrap go test ./...
#
#	BASE=origin/main CHECK='-min-condition 100' bash check.sh
#
#	BASE      a revision, with whose merge base the change is compared (origin/main)
#	CHECK     what changed lines must have, as flags of goprofinstr check (nothing)
#	PROFILE   the profile directory (goprofinstr.out)
#	SUMMARY   the file for the Markdown (goprofinstr.md)
#	FORMAT    what is printed: text, or github for a job of GitHub (text)
set -eu

base=${BASE:-origin/main}
profile=${PROFILE:-goprofinstr.out}
summary=${SUMMARY:-goprofinstr.md}
rm -f -- "$summary"

exit=0
# CHECK is several words, and so without quotes.
goprofinstr check -base "$base" ${CHECK:-} -format markdown -o "$summary" "$profile" || exit=$?
[ -s "$summary" ] || exit "$exit" # it has said why
goprofinstr check -base "$base" ${CHECK:-} -format "${FORMAT:-text}" "$profile" || exit=$?
exit "$exit"
