module fixtures.example/corpus

go 1.26
