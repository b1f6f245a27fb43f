#compdef goprofinstr gpi
# Completion of goprofinstr for zsh. In ~/.zshrc, behind compinit: source <(goprofinstr completion zsh)
_goprofinstr() {
	local -a found shown
	local line
	for line in "${(@f)$("$words[1]" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] || continue
		found+=("${line%%$'\t'*}")
		shown+=("${line/$'\t'/  -- }")
	done
	if (( $#found )); then
		compadd -l -d shown -a -- found
	else
		_files
	fi
}
compdef _goprofinstr goprofinstr gpi
