package faultsim

// Bug is a mistake that is planted to see whether the oracle finds it.
type Bug string

// The bugs.
const (
	NoBug Bug = ""

	CommitBeforeAck Bug = "commit-before-ack" // Write returns before the sink has accepted the batch
	ClearBeforeSend Bug = "clear-before-send" // what failed once is not there to be sent again
	NoFence         Bug = "no-fence"          // the coordinator accepts commits of older generations
	SkipRecord      Bug = "offset+1"          // a restart begins one record late
	RepeatRecord    Bug = "offset-1"          // a checkpoint says one record less than it has learnt from
	MapIteration    Bug = "map-iteration"     // the model adds in the order of a map
	UnsavedRandom   Bug = "unsaved-random"    // the model does not save its random state
	NoSync          Bug = "no-sync"           // checkpoint files are renamed before they are on the disk
	MutableKey      Bug = "mutable-key"       // checkpoints overwrite one another chunk by chunk
	StaleSeries     Bug = "stale-series"      // a checkpoint of changes lacks the series that have changed
	HashCleared     Bug = "hash-cleared"      // an empty answer clears the mark by which another log is noticed
	ForgottenCount  Bug = "forgotten-count"   // neither commits nor checkpoints have the number of partitions
	ForeignSnapshot Bug = "foreign-snapshot"  // the newest snapshot is used, whichever group wrote it
	BlanketCulprits Bug = "blanket-culprits"  // points become dead letters when the sink refuses everything alike
	CollectAtLoad   Bug = "collect-at-load"   // snapshots without a commit are removed by Load, as if no other member were saving them

	PartialAccepted     Bug = "partial-accepted"     // a write of which points were dropped counts as accepted
	QuotaCulprits       Bug = "quota-culprits"       // all points of a request beyond a quota become dead letters
	SettledAtOnce       Bug = "settled-at-once"      // what the database has accepted counts as kept
	ConnectionUnwatched Bug = "connection-unwatched" // nobody notices that the database was killed
	UnsettledForgotten  Bug = "unsettled-forgotten"  // a restart does not send again what the database may have lost
	FileUnlocked        Bug = "file-unlocked"        // two processes write one file
	FileUncut           Bug = "file-uncut"           // a restart does not cut the file back to its length at the checkpoint
	FileCutToLine       Bug = "file-cut-to-line"     // a restart cuts the file after its last whole line
	FileUnsynced        Bug = "file-unsynced"        // a checkpoint has the length of a file that is not on the disk
	AbortedLearnt       Bug = "aborted-learnt"       // messages of aborted transactions are learnt
	OpenRead            Bug = "open-read"            // messages are read before their transaction is decided
	OpenSkipped         Bug = "open-skipped"         // an open transaction is passed over instead of waited for
	RefusedByClock      Bug = "refused-by-clock"     // a chunk that the broker refuses for its time counts as written
	WallClock           Bug = "wall-clock"           // the model looks at the clock of the machine
)

// Bugs lists all of them.
var Bugs = []Bug{CommitBeforeAck, ClearBeforeSend, NoFence, SkipRecord, RepeatRecord, MapIteration, UnsavedRandom, NoSync, MutableKey, StaleSeries,
	HashCleared, ForgottenCount, ForeignSnapshot, BlanketCulprits, CollectAtLoad,
	PartialAccepted, QuotaCulprits, SettledAtOnce, ConnectionUnwatched, UnsettledForgotten, FileUnlocked, FileUncut, FileCutToLine, FileUnsynced,
	AbortedLearnt, OpenRead, OpenSkipped, RefusedByClock, WallClock}

// Fault is a kind of failure.
type Fault string

// The kinds of failures.
const (
	Crashes       Fault = "crashes"        // of a process; half of those with a disk are power failures
	Pauses        Fault = "pauses"         // of a process, up to three times as long as a session
	Rebalances    Fault = "rebalances"     // processes come and go
	CommitReplies Fault = "commit-replies" // a commit is applied and its answer lost
	Requests      Fault = "requests"       // a write to the sink is lost, or applied in part
	Replies       Fault = "replies"        // it is applied and its answer lost
	Delays        Fault = "delays"         // it is applied much later, or again
	Outages       Fault = "outages"        // of the sink
	Refusals      Fault = "refusals"       // the sink refuses all points alike for a while
	Retention     Fault = "retention"      // records are removed that no checkpoint needs
	Damage        Fault = "damage"         // a chunk of the last snapshot is missing
	Expiry        Fault = "expiry"         // the group forgets the commits of a partition
	Replacement   Fault = "replacement"    // the topic is deleted and created again
	Growth        Fault = "growth"         // the topic gets another partition
	Quotas        Fault = "quotas"         // the database drops points of a request
	Forgetting    Fault = "forgetting"     // the database is killed, and loses what it has accepted last
	Stalls        Fault = "stalls"         // transactions stay open
	Clocks        Fault = "clocks"         // the clock of a machine is days ahead
)

// Faults lists all kinds.
var Faults = []Fault{Crashes, Pauses, Rebalances, CommitReplies, Requests, Replies, Delays, Outages, Refusals, Retention, Damage, Expiry, Replacement, Growth,
	Quotas, Forgetting, Stalls, Clocks}
