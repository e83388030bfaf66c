package devbroker_test

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/devbroker"
)

func Example() {
	broker, err := devbroker.Start(2, []string{"metrics"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer broker.Close()
	fmt.Println(len(broker.Cluster().PartitionInfos("metrics")), "partitions")
	// Output: 2 partitions
}
