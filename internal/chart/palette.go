package chart

// colours are those of Okabe and Ito, which colour-blind readers can tell apart too. Neighbours differ most; grey is
// first, for what the others are compared with.
var colours = []string{"#999999", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"}

// darker are the same colours at some half of their brightness.
var darker = []string{"#555555", "#003859", "#6b2f00", "#004f3a", "#663d54", "#735000", "#2b5a75", "#787221"}

// colour returns the colours that there are, and then the same darker.
func colour(i int) string {
	if i < len(colours) {
		return colours[i]
	}
	return darker[i%len(darker)]
}
