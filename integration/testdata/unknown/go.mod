module example.com/unknown

go 1.26.0
