module example.com/terminated

go 1.26
