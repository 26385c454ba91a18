module github.com/swarmbus/swarmbus/examples/review/tools

go 1.26.0

replace github.com/swarmbus/swarmbus/examples/review => ..

replace github.com/swarmbus/swarmbus => ../../..

require (
	github.com/securego/gosec/v2 v2.29.0
	github.com/swarmbus/swarmbus/examples/review v0.0.0
	golang.org/x/tools v0.52.0
	honnef.co/go/tools v0.8.2
)

require (
	github.com/ccojocar/zxcvbn-go v1.0.4 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
