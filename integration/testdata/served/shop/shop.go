package shop

import "fmt"

// Serve answers a request.
func Serve(what string, words []string) (answer string) {
	defer func() {
		if err := recover(); err != nil {
			answer = fmt.Sprint("failed: ", err)
		}
	}()
	switch what {
	case "login":
		return login(words[0])
	case "order":
		return order(words)
	case "fail":
		return words[len(words)]
	}
	return "what?"
}

func login(name string) string {
	if name == "" || name == "root" {
		return "no"
	}
	return "hello " + name
}

func order(words []string) string {
	sum := 0
	for _, w := range words {
		if len(w) > 3 && w[0] != '-' {
			sum += len(w)
			continue
		}
		sum++
	}
	if sum > 100 {
		return "too much"
	}
	return fmt.Sprint("ordered ", sum)
}
