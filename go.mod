module github.com/orffvar/forecaster

go 1.26
