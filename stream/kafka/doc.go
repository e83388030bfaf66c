// Package kafka reads topics of Apache Kafka: a Group reads partitions as a
// member of a consumer group. Package cluster has the connection to the
// brokers, and package kafkasink writes.
//
// A Group calls a function for each partition that is assigned to it. The
// function owns the partition, as a stream.Source, until its context ends; then
// it has GroupConfig.HandOver to write its points, take a checkpoint and commit:
//
//	group.Run(ctx, func(ctx context.Context, p *kafka.Partition) error {
//		runner, err := run.NewRunner(run.Config{Source: p, ...})
//		if err != nil {
//			return err
//		}
//		return runner.Run(ctx)
//	})
//
// A commit carries the generation of the group and is refused by the broker
// when the partition has a new owner: the error is errFenced, the state of the
// loser is void, and Run joins the group again.
//
// A StateTopic keeps the checkpoints of the partitions in a compacted topic, so that
// the next owner of a partition resumes from its state.
//
// A reader of a Kafka log should know:
//
//   - Messages of transactions are delivered once the transaction was committed; see
//     GroupConfig.Isolation. Aborted ones, markers of transactions and records that compaction
//     removed are passed over silently; records that retention removed before they
//     were read are counted as lost.
//   - A batch that expands to more than 64 MiB when decompressed is not
//     read. Importing the package sets this limit for every user of kafka-go in
//     the process, because its table of codecs is global.
package kafka
