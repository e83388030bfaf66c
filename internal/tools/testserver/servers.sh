#!/bin/sh
# Starts and ends Kafka and InfluxDB 1.8 on loopback, as install.sh has installed them, and a producer of
# samples, to try the forecaster with real servers and without Docker. Usage: servers.sh up|down
# Other ports than 9092 and 8086: KAFKA_PORT, with the next one for its controller, and INFLUXDB_PORT, with the second next one.
set -eu

cache=${FORECASTER_SERVICES:-${XDG_CACHE_HOME:-$HOME/.cache}/forecaster}
dir=$cache/servers # data, logs and process numbers
kafka=$cache/kafka-4.1.1
influxdb=$cache/influxdb-1.8.10/influxd
root=$(cd "$(dirname "$0")/../../.." && pwd)
forecaster=${FORECASTER:-$root/bin/forecaster}
broker=127.0.0.1:${KAFKA_PORT:=9092}
controller=127.0.0.1:$((KAFKA_PORT + 1))
database=127.0.0.1:${INFLUXDB_PORT:=8086}

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
		sleep 1 # a process that has just begun still has the command of this script
		if [ $left -le 0 ] || ! running "$name"; then
			echo "up: $name has not started; the end of $dir/$name.log:" >&2
			tail -n 5 "$dir/$name.log" >&2
			exit 1
		fi
	done
}

up() {
	[ -d "$kafka" ] && [ -x "$influxdb" ] || {
		echo "up: the servers are not installed: make services" >&2
		exit 1
	}
	mkdir -p "$dir"
	if ! running kafka; then
		free "$KAFKA_PORT"
		free $((KAFKA_PORT + 1))
		cat >"$dir/server.properties" <<-END
			process.roles=broker,controller
			node.id=1
			controller.quorum.voters=1@$controller
			listeners=PLAINTEXT://$broker,CONTROLLER://$controller
			advertised.listeners=PLAINTEXT://$broker
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
		free "$INFLUXDB_PORT"
		cat >"$dir/influxdb.conf" <<-END
			reporting-disabled = true
			bind-address = "127.0.0.1:$((INFLUXDB_PORT + 2))"
			[meta]
			  dir = "$dir/influxdb/meta"
			[data]
			  dir = "$dir/influxdb/data"
			  wal-dir = "$dir/influxdb/wal"
			[http]
			  bind-address = "$database"
			  flux-enabled = true
			  log-enabled = false
		END
		nohup "$influxdb" -config "$dir/influxdb.conf" >"$dir/influxdb.log" 2>&1 &
		echo $! >"$dir/influxdb.pid"
	fi
	await influxdb 60 curl -sf http://$database/ping
	curl -sf -XPOST http://$database/query --data-urlencode 'q=CREATE DATABASE forecasts' >/dev/null
	await kafka 120 listens "$KAFKA_PORT"
	if ! running producer; then
		cp "$root/eval/dataset/macrodata.csv" "$dir/"
		head -n 2 "$dir/macrodata.csv" >"$dir/first.csv" # a row, which makes the topic
		"$forecaster" produce "$dir/first.csv" --brokers "$broker" --series macrodata --now >"$dir/producer.log" 2>&1 || {
			cat "$dir/producer.log" >&2
			exit 1
		}
		nohup "$forecaster" produce "$dir/macrodata.csv" --brokers "$broker" --rate 5 --now --loop >"$dir/producer.log" 2>&1 &
		echo $! >"$dir/producer.pid"
	fi
	cat <<-END
		Kafka     $broker; its topic metrics gets five samples a second
		InfluxDB  http://$database, database forecasts

		The live job, with its page at http://127.0.0.1:8090:
		  bin/forecaster run -c configs/forecaster.yaml
		The newest forecasts in the database:
		  curl -G http://$database/query --data-urlencode db=forecasts --data-urlencode 'q=SELECT * FROM forecast ORDER BY time DESC LIMIT 3'

		make down ends the servers; what they hold stays in $dir
	END
}

down() {
	for name in producer kafka influxdb; do
		running $name || continue
		pid=$(cat "$dir/$name.pid")
		kill "$pid"
		while running $name; do sleep 1; done # a zombie, which nobody waits for, does not run
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
