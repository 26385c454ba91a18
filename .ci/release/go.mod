module github.com/swarmbus/swarmbus/ci/release

go 1.26.0

require golang.org/x/mod v0.31.0
