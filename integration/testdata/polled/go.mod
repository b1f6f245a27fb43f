module example.com/polled

go 1.25
