// Package job runs a configured job live: one runner per partition with its source, outputs and checkpoints, the HTTP
// endpoint, and the reload of the configuration. A replay with a live page is such a job, too. The package also has the
// jobs without a model: publishing a file to Kafka, and merging topics.
package job
