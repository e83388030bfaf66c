// Package job runs a configured job live: one runner per partition with its source,
// outputs and checkpoints, the HTTP endpoint beside them, and the reload of the
// configuration. A replay that shows its live page is such a job too.
// Beside it are the jobs without a model: publishing a file to Kafka, and merging outputs.
package job
