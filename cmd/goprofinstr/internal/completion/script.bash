# Completion of goprofinstr for bash. In ~/.bashrc: source <(goprofinstr completion bash)
_goprofinstr() {
	local IFS=$'\n'
	COMPREPLY=($("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o bashdefault -o default -F _goprofinstr goprofinstr gpi
