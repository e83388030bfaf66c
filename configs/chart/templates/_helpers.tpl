{{- define "forecaster.name" -}}
{{- if contains "forecaster" .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-forecaster" .Release.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "forecaster.selector" -}}
app.kubernetes.io/name: forecaster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "forecaster.labels" -}}
{{ include "forecaster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "forecaster.metadata" -}}
name: {{ include "forecaster.name" . }}
namespace: {{ .Release.Namespace }}
labels: {{- include "forecaster.labels" . | nindent 2 }}
{{- end }}

{{- define "forecaster.topic" -}}
{{ dig "state" "topic" "" .Values.config }}
{{- end }}

{{- define "forecaster.scheme" -}}
{{ ternary "HTTPS" "HTTP" (ne "" (dig "server" "tls_cert" "" .Values.config)) }}
{{- end }}

{{/* GOMEMLIMIT is nine tenths of limits.memory, a number of Mi or Gi by the schema. */}}
{{- define "forecaster.gomemlimit" -}}
{{- $limit := .Values.resources.limits.memory -}}
{{- $mi := trimSuffix "Mi" $limit -}}
{{- if hasSuffix "Gi" $limit }}{{ $mi = mul 1024 (trimSuffix "Gi" $limit | int64) }}{{ end -}}
{{ div (mul 9 ($mi | int64)) 10 }}MiB
{{- end }}

{{/* What the schema cannot say: settings that exclude each other. */}}
{{- define "forecaster.check" -}}
{{- $topic := include "forecaster.topic" . -}}
{{- if and (not $topic) (gt (int .Values.replicas) 1) -}}
{{ fail "replicas: checkpoints on a volume are for a single process. Set config.state.topic, a compacted topic that all members share, or replicas: 1" }}
{{- end -}}
{{- if and .Values.keda.enabled (not $topic) -}}
{{ fail "keda: members come and go only with config.state.topic, a compacted topic that all members share" }}
{{- end -}}
{{- if and .Values.keda.enabled (not (dig "input" "kafka" "" .Values.config)) -}}
{{ fail "keda: the lag is that of config.input.kafka, which is missing" }}
{{- end -}}
{{- end }}
