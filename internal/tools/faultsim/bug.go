package faultsim

// Bug is a mistake that a test plants in the program; the oracle must find it.
type Bug string

// The bugs.
const (
	NoBug Bug = ""

	CommitBeforeAck Bug = "commit-before-ack" // Write returns before the sink has accepted the batch
	ClearBeforeSend Bug = "clear-before-send" // a request is not sent again after a failure
	NoFence         Bug = "no-fence"          // the coordinator accepts commits of older generations
	SkipRecord      Bug = "offset+1"          // a restart begins one record late
	RepeatRecord    Bug = "offset-1"          // a checkpoint has an offset one record too low
	MapIteration    Bug = "map-iteration"     // the model adds in the order of a map
	UnsavedRandom   Bug = "unsaved-random"    // the model does not save its random state
	NoSync          Bug = "no-sync"           // checkpoint files are renamed before they are synced to the disk
	MutableKey      Bug = "mutable-key"       // checkpoints overwrite one another chunk by chunk
	StaleSeries     Bug = "stale-series"      // a checkpoint of changes lacks the series that have changed
	HashCleared     Bug = "hash-cleared"      // an empty answer clears the hash that detects another log
	ForgottenCount  Bug = "forgotten-count"   // commits and checkpoints lack the number of partitions
	ForeignSnapshot Bug = "foreign-snapshot"  // the newest snapshot of any group is used
	BlanketCulprits Bug = "blanket-culprits"  // points become dead letters when the sink refuses all points
	CollectAtLoad   Bug = "collect-at-load"   // Load removes snapshots without a commit, although another member may be saving them

	PartialAccepted     Bug = "partial-accepted"     // a write with dropped points counts as accepted
	QuotaCulprits       Bug = "quota-culprits"       // all points of a request beyond a quota become dead letters
	SettledAtOnce       Bug = "settled-at-once"      // points accepted by the database count as kept at once
	ConnectionUnwatched Bug = "connection-unwatched" // the kill of the database is not noticed
	UnsettledForgotten  Bug = "unsettled-forgotten"  // a restart does not resend points that the database may have lost
	FileUnlocked        Bug = "file-unlocked"        // two processes write one file
	FileUncut           Bug = "file-uncut"           // a restart does not cut the file back to its length at the checkpoint
	FileCutToLine       Bug = "file-cut-to-line"     // a restart cuts the file after its last whole line
	FileUnsynced        Bug = "file-unsynced"        // a checkpoint has the length of a file that is not synced to the disk
	AbortedLearnt       Bug = "aborted-learnt"       // messages of aborted transactions are learnt
	OpenRead            Bug = "open-read"            // messages are read before their transaction is decided
	OpenSkipped         Bug = "open-skipped"         // readers skip an open transaction instead of waiting
	RefusedByClock      Bug = "refused-by-clock"     // a chunk that the broker refuses for its time counts as written
	WallClock           Bug = "wall-clock"           // the model reads the clock of the machine
)

// Bugs lists all bugs.
var Bugs = []Bug{CommitBeforeAck, ClearBeforeSend, NoFence, SkipRecord, RepeatRecord, MapIteration, UnsavedRandom, NoSync, MutableKey, StaleSeries,
	HashCleared, ForgottenCount, ForeignSnapshot, BlanketCulprits, CollectAtLoad,
	PartialAccepted, QuotaCulprits, SettledAtOnce, ConnectionUnwatched, UnsettledForgotten, FileUnlocked, FileUncut, FileCutToLine, FileUnsynced,
	AbortedLearnt, OpenRead, OpenSkipped, RefusedByClock, WallClock}

// Fault is a kind of failure.
type Fault string

// The kinds of failures.
const (
	Crashes       Fault = "crashes"        // crashes of a process; half of the crashes with a disk are power failures
	Pauses        Fault = "pauses"         // pauses of a process, up to three sessions long
	Rebalances    Fault = "rebalances"     // processes join and leave
	CommitReplies Fault = "commit-replies" // a commit is applied, and its answer is lost
	Requests      Fault = "requests"       // a write to the sink is lost, or applied in part
	Replies       Fault = "replies"        // a write to the sink is applied, and its answer is lost
	Delays        Fault = "delays"         // a write to the sink is applied much later, or twice
	Outages       Fault = "outages"        // outages of the sink
	Refusals      Fault = "refusals"       // the sink refuses all points for a while
	Retention     Fault = "retention"      // records are removed that no checkpoint needs
	Damage        Fault = "damage"         // a chunk of the last snapshot is missing
	Expiry        Fault = "expiry"         // the group forgets the commits of a partition
	Replacement   Fault = "replacement"    // the topic is deleted and created again
	Growth        Fault = "growth"         // the topic gets another partition
	Quotas        Fault = "quotas"         // the database drops points of a request
	Forgetting    Fault = "forgetting"     // the database is killed, and loses the points that it accepted last
	Stalls        Fault = "stalls"         // transactions stay open
	Clocks        Fault = "clocks"         // the clock of a machine is days ahead
)

// Faults lists all kinds of failures.
var Faults = []Fault{Crashes, Pauses, Rebalances, CommitReplies, Requests, Replies, Delays, Outages, Refusals, Retention, Damage, Expiry, Replacement, Growth,
	Quotas, Forgetting, Stalls, Clocks}
