# Sourced after report.sh and server.sh by test scripts that need Kafka: a private broker in $room, ended with the script.
#   $broker                                        its address, which stays the same
#   kafka kill|up|down|restart|status              what tests/kafka/broker does with it; `kafka up --set NAME=VALUE` starts it so
#   topic VERB...                                  what tests/kafka/topic does there
#   new_topic NAME PARTITIONS [CONFIG=VALUE]...
#   produce NAME [OPTION]... <FILE
#   open_transaction FILE NAME [OPTION]...         puts FILE there in a transaction that stays open as long as process $transaction
# A script that sets kafka_settings=(NAME=VALUE...) before has its broker started so.
make -s -C "$top" kafka-tools >&2 || exit 1
topic_program=$top/build/tests/kafka/topic

kafka() {
	local verb=$1
	shift
	"$top/tests/kafka/broker" "$verb" --dir "$room/kafka" "$@"
}
topic() { "$topic_program" -b "$broker" "$@"; }
new_topic() { topic create "$@"; }
produce() { topic produce "$@"; }

transactions=()
open_transaction() {
	local file=$1 said=$room/open_transaction wait
	shift
	: >"$said"
	"$topic_program" -b "$broker" produce "$@" --transaction open <"$file" >"$said" &
	transaction=$!
	disown "$transaction"
	transactions+=("$transaction")
	for ((wait = 0; wait < 600; wait++)); do
		[ ! -s "$said" ] || return 0
		kill -0 "$transaction" 2>/dev/null || return 1
		sleep 0.05
	done
	return 1
}

kafka_end() {
	[ ${#transactions[@]} = 0 ] || kill -9 "${transactions[@]}" 2>/dev/null
	kafka down
}
at_end+=(kafka_end)

sets=()
for setting in ${kafka_settings[@]+"${kafka_settings[@]}"}; do sets+=(--set "$setting"); done
broker=$(kafka up ${sets[@]+"${sets[@]}"}) || exit 1
