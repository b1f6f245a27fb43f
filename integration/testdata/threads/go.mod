module example.com/threads

go 1.26
