#!/usr/bin/env bash
# Puts a text in a note on the merge request of a GitLab pipeline: in one note, which later pipelines update. Without a token
# that may write it says so in one line and that is all.
#
#	GOPROFINSTR_TOKEN=… bash gitlab.sh goprofinstr.md
#
# GOPROFINSTR_TOKEN is a project's access token with the scope api: that of the job may not write notes. MARK tells the note from those
# of other jobs. It needs curl and jq.
set -eu

text=$1
mark="<!-- goprofinstr ${MARK:-goprofinstr} -->"
if [ -z "${CI_MERGE_REQUEST_IID:-}" ]; then
	echo "no note: this pipeline is of no merge request"
	exit 0
fi
if [ -z "${GOPROFINSTR_TOKEN:-}" ]; then
	echo "no note: there is no GOPROFINSTR_TOKEN, as in merge requests from forks; $text has it all"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf 'PRIVATE-TOKEN: %s\n' "$GOPROFINSTR_TOKEN" >"$tmp/header" # not on a command line, which others see

# request METHOD URL [DATA] leaves the answer in the folder, and its status in $status.
request() {
	retry=3
	if [ "$1" = POST ]; then retry=0; fi # it may have been heard the first time
	status=$(curl --silent --show-error --max-time 60 --retry $retry --output "$tmp/answer" --write-out '%{http_code}' \
		--header "@$tmp/header" --header 'Content-Type: application/json' \
		--request "$1" ${3+--data-binary "@$3"} "$2") || status=000
	case $status in
	2??) ;;
	401 | 403 | 404)
		echo "no note: the token may not write to merge requests here ($status); $text has it all"
		exit 0
		;;
	*)
		echo "no note: $1 $2: status $status: $(jq -r '.message // empty' "$tmp/answer" 2>/dev/null | head -n 1)" >&2
		exit 1
		;;
	esac
}

notes="$CI_API_V4_URL/projects/${CI_MERGE_REQUEST_PROJECT_ID:-$CI_PROJECT_ID}/merge_requests/$CI_MERGE_REQUEST_IID/notes"
id=
page=1
while [ -z "$id" ]; do
	request GET "$notes?per_page=100&page=$page"
	id=$(jq -r --arg mark "$mark" 'map(select(.body | startswith($mark))) | first | .id // empty' "$tmp/answer")
	[ "$(jq length "$tmp/answer")" = 100 ] || break
	page=$((page + 1))
done

jq -n --arg mark "$mark" --rawfile text "$text" '{body: ($mark + "\n" + $text)}' >"$tmp/data" # GitLab takes a million characters
if [ -n "$id" ]; then
	request PUT "$notes/$id" "$tmp/data"
else
	request POST "$notes" "$tmp/data"
fi
echo "note: $(jq -r '.id' "$tmp/answer")"
