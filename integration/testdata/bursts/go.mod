module example.com/bursts

go 1.26
