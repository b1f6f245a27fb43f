# Completion of goprofinstr for fish. To have it: goprofinstr completion fish >~/.config/fish/completions/goprofinstr.fish
function __goprofinstr_complete
	set -l words (commandline -opc)
	$words[1] complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c goprofinstr -a '(__goprofinstr_complete)'
complete -c gpi -a '(__goprofinstr_complete)'
