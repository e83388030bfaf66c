package detection_test

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/detection"
)

// Scores of anomalies against labels.
func ExampleDetect() {
	scores := []float64{.1, .2, 3, .4, 2, .3}
	labels := []bool{false, false, true, false, true, true}
	d := detection.Detect(scores, labels, 1)
	fmt.Printf("precision %.2f, recall %.2f, F1 %.2f, area under the PR curve %.2f\n", d.Precision, d.Recall, d.F1, detection.AUPRC(scores, labels))
	// Output:
	// precision 1.00, recall 0.67, F1 0.80, area under the PR curve 0.92
}
