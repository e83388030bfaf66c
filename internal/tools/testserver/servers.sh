#!/bin/sh
# Starts and ends Kafka and InfluxDB 1.8 on loopback, as install.sh has installed them, to try the
# forecaster with real servers and without Docker. Usage: servers.sh up|down
set -eu

cache=${FORECASTER_SERVICES:-${XDG_CACHE_HOME:-$HOME/.cache}/forecaster}
dir=$cache/servers # data, logs and process numbers
kafka=$cache/kafka-4.1.1
influxdb=$cache/influxdb-1.8.10/influxd

# running NAME: whether the process of a server still is the one that was started.
running() {
	[ -f "$dir/$1.pid" ] && ps -o command= -p "$(cat "$dir/$1.pid")" 2>/dev/null | grep -qF "$dir/"
}

# listens PORT: whether something accepts connections (curl's exit code 7: refused).
listens() {
	code=0
	curl -s -o /dev/null --max-time 1 "telnet://127.0.0.1:$1" </dev/null || code=$?
	[ $code -ne 7 ]
}

# free PORT: nobody else has the port.
free() {
	! listens "$1" || {
		echo "up: port $1 is in use by a process that up has not started; end it first" >&2
		exit 1
	}
}

# await NAME SECONDS COMMAND...: until the command succeeds.
await() {
	name=$1 left=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		if [ $left -le 0 ] || ! running "$name"; then
			echo "up: $name has not started; the end of $dir/$name.log:" >&2
			tail -n 5 "$dir/$name.log" >&2
			exit 1
		fi
		sleep 1
	done
}

up() {
	[ -d "$kafka" ] && [ -x "$influxdb" ] || {
		echo "up: the servers are not installed: make services" >&2
		exit 1
	}
	mkdir -p "$dir"
	if ! running kafka; then
		free 9092
		free 9093
		cat >"$dir/server.properties" <<-END
			process.roles=broker,controller
			node.id=1
			controller.quorum.voters=1@127.0.0.1:9093
			listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093
			advertised.listeners=PLAINTEXT://127.0.0.1:9092
			controller.listener.names=CONTROLLER
			listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
			log.dirs=$dir/kafka
			auto.create.topics.enable=false
			offsets.topic.replication.factor=1
			offsets.topic.num.partitions=1
			transaction.state.log.replication.factor=1
			transaction.state.log.num.partitions=1
			transaction.state.log.min.isr=1
			group.initial.rebalance.delay.ms=0
		END
		[ -d "$dir/kafka" ] || java -XX:TieredStopAtLevel=1 -cp "$kafka/*" kafka.tools.StorageTool \
			format -t Zm9yZWNhc3Rlci10cnlvdXQ -c "$dir/server.properties" >"$dir/kafka.log" 2>&1 || {
			tail -n 5 "$dir/kafka.log" >&2
			exit 1
		}
		nohup java -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$kafka/*" kafka.Kafka "$dir/server.properties" >"$dir/kafka.log" 2>&1 &
		echo $! >"$dir/kafka.pid"
	fi
	if ! running influxdb; then
		free 8086
		cat >"$dir/influxdb.conf" <<-END
			reporting-disabled = true
			bind-address = "127.0.0.1:8088"
			[meta]
			  dir = "$dir/influxdb/meta"
			[data]
			  dir = "$dir/influxdb/data"
			  wal-dir = "$dir/influxdb/wal"
			[http]
			  bind-address = "127.0.0.1:8086"
			  flux-enabled = true
			  log-enabled = false
		END
		nohup "$influxdb" -config "$dir/influxdb.conf" >"$dir/influxdb.log" 2>&1 &
		echo $! >"$dir/influxdb.pid"
	fi
	await influxdb 60 curl -sf http://127.0.0.1:8086/ping
	curl -sf -XPOST http://127.0.0.1:8086/query --data-urlencode 'q=CREATE DATABASE forecasts' >/dev/null
	await kafka 120 listens 9092
	cat <<-END
		Kafka     127.0.0.1:9092
		InfluxDB  http://127.0.0.1:8086, database forecasts

		A producer, which creates the topic metrics:
		  bin/forecaster produce internal/dataset/macrodata.csv --topic metrics --rate 5 --now --loop
		The live job, in another terminal, with its page at http://127.0.0.1:8090:
		  bin/forecaster run -c configs/forecaster.yaml
		The newest forecasts in the database:
		  curl -G http://127.0.0.1:8086/query --data-urlencode db=forecasts --data-urlencode 'q=SELECT * FROM forecast ORDER BY time DESC LIMIT 3'

		make down ends the servers; what they hold stays in $dir
	END
}

down() {
	for name in kafka influxdb; do
		running $name || continue
		pid=$(cat "$dir/$name.pid")
		kill "$pid"
		while kill -0 "$pid" 2>/dev/null; do sleep 1; done
		echo "$name has ended"
	done
	rm -f "$dir"/*.pid
}

case ${1-} in
up | down) "$1" ;;
*)
	echo "usage: servers.sh up|down" >&2
	exit 2
	;;
esac
