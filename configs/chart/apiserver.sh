#!/bin/bash
# Installs the chart on a real API server of Kubernetes, with each of the values files of tests: those of accepted must be
# installed, and a pod of each be admitted by Pod Security "restricted"; those of refused must not be. The server is built by Go
# (some twenty minutes and 2.4 GB, once), its store is Debian's etcd. No node runs: pods are admitted, and not started.
# Usage: apiserver.sh, with helm as internal/tools/testserver/install.sh installs it
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${FORECASTER_SERVICES:-${XDG_CACHE_HOME:-$HOME/.cache}/forecaster}
server=$cache/kubernetes-1.37.2/kube-apiserver
helm=$cache/helm-3.22.0/helm
python=$cache/helm-3.22.0/python/bin/python
[ -x "$helm" ] || { echo "apiserver.sh: Helm is not installed: internal/tools/testserver/install.sh helm" >&2; exit 1; }
command -v etcd >/dev/null || { echo "apiserver.sh: etcd is missing: apt-get install etcd-server" >&2; exit 1; }

dir=$(mktemp -d)
processes=()
end() {
	[ ${#processes[@]} -eq 0 ] || kill -KILL "${processes[@]}" 2>/dev/null || true
	wait 2>/dev/null || true
	chmod -R u+w "$dir"
	rm -rf "$dir"
}
trap end EXIT

# module NAME VERSION: the folder of a Go module, outside of this one.
module() { (cd "$dir" && go mod download -json "$1@$2" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); }

if [ ! -x "$server" ]; then
	echo "building kube-apiserver 1.37.2 (some twenty minutes)"
	source=$(module k8s.io/kubernetes v1.37.2)
	mkdir "$dir/build"
	{
		printf 'module build\ngo 1.26\nrequire k8s.io/kubernetes v1.37.2\n'
		# Its parts are modules of the same number.
		sed -n 's|^[[:space:]]*\(k8s.io/[a-z-]*\) v0\.0\.0$|replace \1 => \1 v0.37.2|p' "$source/go.mod"
	} >"$dir/build/go.mod"
	(cd "$dir/build" && GOFLAGS=-mod=mod go build -ldflags "-X k8s.io/component-base/version.gitVersion=v1.37.2" -o "$server" k8s.io/kubernetes/cmd/kube-apiserver)
fi

# free: a port that nobody has.
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
client=$(free) peer=$(free) port=$(free)
etcd --data-dir "$dir/etcd" --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
	--listen-peer-urls "http://127.0.0.1:$peer" >"$dir/etcd.log" 2>&1 &
processes+=($!)
openssl genrsa -out "$dir/key.pem" 2048 2>/dev/null
echo "try,admin,admin,system:masters" >"$dir/tokens"
"$server" --etcd-servers "http://127.0.0.1:$client" --secure-port "$port" --bind-address 127.0.0.1 --cert-dir "$dir/certificates" \
	--token-auth-file "$dir/tokens" --authorization-mode RBAC --service-account-issuer https://try --service-account-key-file "$dir/key.pem" \
	--service-account-signing-key-file "$dir/key.pem" --disable-admission-plugins ServiceAccount >"$dir/server.log" 2>&1 &
processes+=($!)

# api PATH ARGUMENTS...: a request; it fails, and prints the answer, unless that is a success.
api() {
	local path=$1
	shift
	curl -sS --fail-with-body -k -H 'Authorization: Bearer try' "$@" "https://127.0.0.1:$port$path"
}
for _ in $(seq 120); do
	api /readyz >/dev/null 2>&1 && break
	kill -0 "${processes[@]}" || { tail -n 5 "$dir"/*.log >&2; exit 1; }
	sleep 1
done
api /readyz >/dev/null || { tail -n 5 "$dir/server.log" >&2; exit 1; }

# create PATH: creates the object on standard input.
create() { api "$1" -X POST -H 'Content-Type: application/yaml' --data-binary @- ; }
create /api/v1/namespaces >/dev/null <<-END
	{apiVersion: v1, kind: Namespace, metadata: {name: try, labels: {pod-security.kubernetes.io/enforce: restricted}}}
END
operator=$(module github.com/prometheus-operator/prometheus-operator v0.85.0)
keda=$(module github.com/kedacore/keda/v2 v2.21.0)
for kind in "$operator"/example/prometheus-operator-crd/monitoring.coreos.com_{servicemonitors,prometheusrules}.yaml "$keda/config/crd/bases/keda.sh_scaledobjects.yaml"; do
	create /apis/apiextensions.k8s.io/v1/customresourcedefinitions >/dev/null <"$kind"
done
for kind in monitoring.coreos.com/v1/servicemonitors monitoring.coreos.com/v1/prometheusrules keda.sh/v1alpha1/scaledobjects; do
	for _ in $(seq 60); do
		api "/apis/$kind" >/dev/null 2>&1 && break
		sleep 1
	done
done

cat >"$dir/kubeconfig" <<-END
	apiVersion: v1
	kind: Config
	clusters: [{name: try, cluster: {server: "https://127.0.0.1:$port", insecure-skip-tls-verify: true}}]
	users: [{name: try, user: {token: try}}]
	contexts: [{name: try, context: {cluster: try, user: try, namespace: try}}]
	current-context: try
END
export KUBECONFIG=$dir/kubeconfig HELM_CACHE_HOME=$dir/helm HELM_DATA_HOME=$dir/helm HELM_CONFIG_HOME=$dir/helm

# pod: the pod of the Deployment or the StatefulSet on standard input, with its volume.
pod() {
	"$python" -c '
import sys, yaml
for o in yaml.safe_load_all(sys.stdin):
    if o and o["kind"] in ("Deployment", "StatefulSet"):
        pod = o["spec"]["template"] | {"apiVersion": "v1", "kind": "Pod"}
        pod["metadata"]["name"] = "try"
        for claim in o["spec"].get("volumeClaimTemplates", []):
            name = claim["metadata"]["name"]
            pod["spec"]["volumes"].append({"name": name, "persistentVolumeClaim": {"claimName": name}})
        print(yaml.safe_dump(pod))
'
}

accepted=0 refused=0
for values in "$here"/tests/accepted/*.yaml; do
	"$helm" install plant "$here" -f "$values" >"$dir/out" 2>&1 || { echo "apiserver.sh: $values is refused:" >&2; cat "$dir/out" >&2; exit 1; }
	! grep -i 'would violate PodSecurity' "$dir/out" >&2 || { echo "apiserver.sh: $values" >&2; exit 1; }
	"$helm" get manifest plant | pod | create '/api/v1/namespaces/try/pods?dryRun=All' >"$dir/out" || { echo "apiserver.sh: the pod of $values is refused:" >&2; cat "$dir/out" >&2; exit 1; }
	"$helm" uninstall plant >/dev/null
	accepted=$((accepted + 1))
done
for values in "$here"/tests/refused/*.yaml; do
	! "$helm" install plant "$here" -f "$values" >"$dir/out" 2>&1 || { echo "apiserver.sh: $values is accepted" >&2; exit 1; }
	refused=$((refused + 1))
done

# The check can fail: the same pod as root is refused.
"$helm" template plant "$here" --kube-version 1.37.2 -f "$here/tests/accepted/one.yaml" 2>/dev/null | pod | sed 's/runAsUser: 10001/runAsUser: 0/' |
	create '/api/v1/namespaces/try/pods?dryRun=All' >"$dir/out" 2>/dev/null && { echo "apiserver.sh: a pod of root is admitted" >&2; exit 1; }
grep -q 'violates PodSecurity' "$dir/out" || { cat "$dir/out" >&2; exit 1; }

echo "$accepted values files accepted under Pod Security restricted, $refused refused"
