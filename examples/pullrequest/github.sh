#!/usr/bin/env bash
# Puts a text in a comment on the pull request of a run of GitHub Actions: in one comment, which later runs update.
# Where the token may not write, as in pull requests from forks, it says so in one line and that is all.
#
#	MARK=goprofinstr GITHUB_TOKEN=… bash github.sh goprofinstr.md
#
# MARK tells the comment from those of other jobs. GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_EVENT_PATH are set by GitHub.
# It needs curl and jq, which GitHub's machines have.
set -eu

mark="<!-- goprofinstr ${MARK:-goprofinstr} -->"
number=$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")
if [ -z "$number" ]; then
	echo "no comment: this run is of no pull request"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN" >"$tmp/header" # not on a command line, which others see

# request METHOD URL [DATA] leaves the answer in the folder, and its status in $status.
request() {
	retry=3
	if [ "$1" = POST ]; then retry=0; fi # it may have been heard the first time
	status=$(curl --silent --show-error --max-time 60 --retry $retry --output "$tmp/answer" --write-out '%{http_code}' \
		--header "@$tmp/header" --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
		--request "$1" ${3+--data-binary "@$3"} "$2") || status=000
	case $status in
	2??) ;;
	401 | 403 | 404)
		echo "no comment: the token may not write to pull requests here ($status), as in those from forks; the summary has it all"
		exit 0
		;;
	*)
		echo "no comment: $1 $2: status $status: $(jq -r '.message // empty' "$tmp/answer" 2>/dev/null | head -n 1)" >&2
		exit 1
		;;
	esac
}

comments="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$number/comments"
id=
page=1
while [ -z "$id" ]; do
	request GET "$comments?per_page=100&page=$page"
	id=$(jq -r --arg mark "$mark" 'map(select(.body | startswith($mark))) | first | .id // empty' "$tmp/answer")
	[ "$(jq length "$tmp/answer")" = 100 ] || break
	page=$((page + 1))
done

# GitHub takes 65,536 characters.
jq -n --arg mark "$mark" --rawfile text "$1" '{body: ($mark + "\n" + $text)[:65000]}' >"$tmp/data"
if [ -n "$id" ]; then
	request PATCH "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments/$id" "$tmp/data"
else
	request POST "$comments" "$tmp/data"
fi
echo "comment: $(jq -r '.html_url // empty' "$tmp/answer")"
