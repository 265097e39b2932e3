#!/usr/bin/env bash
# Kafka over TLS: whom a consumer trusts, how it says who it is, and that its secrets are in no place where others see them.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# --- certificates ------------------------------------------------------------------------------
# authority NAME: one that signs.  certificate NAME AUTHORITY SUBJECT [ALTERNATIVE-NAMES]: NAME.pem, its key in NAME.key.
tls=$room/tls
mkdir "$tls"
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
authority() {
	openssl req -x509 "${new_key[@]}" -keyout "$tls/$1.key" -out "$tls/$1.pem" -days 2 -subj "/CN=$1" 2>"$tls/said"
}
certificate() {
	openssl req -x509 "${new_key[@]}" -keyout "$tls/$1.key" -out "$tls/$1.pem" -days 2 -subj "/CN=$3" \
		-CA "$tls/$2.pem" -CAkey "$tls/$2.key" -addext basicConstraints=critical,CA:FALSE ${4:+-addext "subjectAltName=$4"} 2>"$tls/said"
}
{ authority ours && authority theirs && certificate server ours broker IP:127.0.0.1,DNS:localhost && certificate client ours consumer; } ||
	{ cat "$tls/said" >&2; exit 1; }
cat "$tls/server.key" "$tls/server.pem" "$tls/ours.pem" >"$tls/server.store"

# --- the broker --------------------------------------------------------------------------------
# In the clear for the test, and behind TLS: SASL_SSL asks for a password, MUTUAL for a certificate; OTHER is at an address that the
# certificate does not name.
free_ports() {
	local port found=0
	while [ "$found" -lt "$1" ]; do
		port=$((20000 + SRANDOM % 12000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; found=$((found + 1)); }
	done
}
read -r clear controller sasl mutual other < <(free_ports 5 | paste -sd ' ')
password='correct horse=battery #staple'
stores="ssl.keystore.type=PEM ssl.keystore.location=$tls/server.store ssl.truststore.type=PEM ssl.truststore.location=$tls/ours.pem"
listeners="PLAINTEXT://127.0.0.1:$clear,SASL_SSL://127.0.0.1:$sasl,MUTUAL://127.0.0.1:$mutual,OTHER://127.0.0.2:$other"
settings=(
	"listeners=$listeners,CONTROLLER://127.0.0.1:$controller"
	"advertised.listeners=$listeners"
	"controller.quorum.voters=1@127.0.0.1:$controller"
	listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,MUTUAL:SSL,OTHER:SSL
	sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
	"listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_billing=\"$password\";"
	'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;'
	listener.name.mutual.ssl.client.auth=required
	$stores
)
sets=()
for setting in "${settings[@]}"; do sets+=(--set "$setting"); done
tests/kafka/broker up --dir "$room/kafka" --port "$clear" "${sets[@]}" >/dev/null || exit 1
. tests/support/kafka.sh

# --- words -------------------------------------------------------------------------------------
new_database kafka_tls
check "init" tollbook init --quiet
check "a topic" new_topic usage 1
sent=0
send() {
	local i
	for ((i = 1; i <= $1; i++)); do
		usage "u-$((sent + i))" ann 2026-10-05T10:00:00Z small 10 0 5
	done | produce usage --plain
	sent=$((sent + $1))
}
booked() { sql 'SELECT count(*) FROM metering.usage_event'; }

# Everything that tollbook said, to be searched for secrets at the end.
said=$room/said
: >"$said"
# consume ADDRESS [OPTION]...
consume() {
	local output code=0
	output=$(tollbook consume --as-of "$as_of" -b "$1" -t usage --batch-seconds 1 --patience 1 -X fetch.wait.max.ms=50 "${@:2}" 2>&1) || code=$?
	printf '%s\n' "$output" | tee -a "$said"
	return "$code"
}
secure=(-X security.protocol=sasl_ssl -X sasl.mechanism=PLAIN -X sasl.username=billing -X "ssl.ca.location=$tls/ours.pem")

printf '%s' "$password" >"$room/password"
printf '%s\n' "$password" >"$room/password.line"
printf 'wrong-%s' "$password" >"$room/password.wrong"
: >"$room/password.empty"
chmod 600 "$room"/password*
properties=$room/kafka.properties
(umask 077 && printf '%s\n' '# how billing gets in' '' security.protocol=sasl_ssl sasl.mechanism=PLAIN \
	'sasl.username = billing' "sasl.password=$password" "ssl.ca.location=$tls/ours.pem" >"$properties")

# --- who gets in -------------------------------------------------------------------------------
send 3
check "a consumer gets in by the password of its file of properties" consume "127.0.0.1:$sasl" --kafka-config "$properties"
equal "and books what is there" "$(booked)" 3
send 2
check "by a file that has nothing but the password" consume "127.0.0.1:$sasl" "${secure[@]}" -X "sasl.password.file=$room/password"
equal "and goes on where it was" "$(booked)" 5
send 1
check "whether or not the file ends in an end of line" consume "localhost:$sasl" "${secure[@]}" -X "sasl.password.file=$room/password.line"
send 4
check "and by its certificate, where a listener asks for one" consume "127.0.0.1:$mutual" -X security.protocol=ssl \
	-X "ssl.ca.location=$tls/ours.pem" -X "ssl.certificate.location=$tls/client.pem" -X "ssl.key.location=$tls/client.key"
equal "all is booked" "$(booked)" 10

# --- who does not ------------------------------------------------------------------------------
# Each waits for three seconds, so they wait together.
send 1
attempt() {
	local code=0
	consume "${@:2}" >"$room/attempt.$1" || code=$?
	echo "$code" >"$room/attempt.$1.code"
}
attempts=()
attempt password "127.0.0.1:$sasl" "${secure[@]}" -X "sasl.password.file=$room/password.wrong" & attempts+=($!)
attempt authority "127.0.0.1:$sasl" --kafka-config "$properties" -X "ssl.ca.location=$tls/theirs.pem" & attempts+=($!)
attempt name "127.0.0.2:$other" -X security.protocol=ssl -X "ssl.ca.location=$tls/ours.pem" & attempts+=($!)
attempt certificate "127.0.0.1:$mutual" -X security.protocol=ssl -X "ssl.ca.location=$tls/ours.pem" & attempts+=($!)
attempt scram "127.0.0.1:$sasl" --kafka-config "$properties" -X sasl.mechanism=SCRAM-SHA-512 & attempts+=($!)
attempt clear "127.0.0.1:$sasl" & attempts+=($!)
wait "${attempts[@]}"
attempted() { cat "$room/attempt.$1"; return "$(cat "$room/attempt.$1.code")"; }
refused "a wrong password is told as such" 2 'Authentication failed' attempted password
refused "an authority that is not ours is told as such" 2 'certificate verify failed' attempted authority
refused "and so is a certificate with another name" 2 'certificate verify failed' attempted name
refused "a consumer without a certificate is told what the broker says of it" 2 'SSL alert number' attempted certificate
refused "one that does not speak TLS is told what may be wrong" 5 'connecting to a SSL listener?' attempted clear
if ! printf '%s\n' 2.6.1 "$(pkg-config --modversion rdkafka)" | sort -V -C; then
	refused "a login by SCRAM is told that this librdkafka cannot do it at Kafka 4" 2 'can do no login by SCRAM at Kafka 4' attempted scram
else
	skip "this librdkafka can log in by SCRAM at Kafka 4"
fi
equal "none of them booked anything" "$(booked)" 10
check "only who says --insecure reads from a broker of another name" consume "127.0.0.2:$other" -X security.protocol=ssl \
	-X "ssl.ca.location=$tls/ours.pem" -X ssl.endpoint.identification.algorithm=none --insecure
equal "and then does" "$(booked)" 11

# --- settings: nothing is asked of a broker ------------------------------------------------------
is_refused() { refused "$1" 2 "$2" consume "127.0.0.1:$sasl" "${@:3}"; }
is_refused "a password on the command line is refused" 'sasl.password may not stand on the command line' "${secure[@]}" -X "sasl.password=$password"
is_refused "and so is the key itself" 'ssl.key.pem may not stand on the command line' -X "ssl.key.pem=$password"
is_refused "TLS without a look at the certificate is refused" 'would trust anybody' "${secure[@]}" -X enable.ssl.certificate.verification=0
is_refused "and without a look at its name" 'would trust anybody' "${secure[@]}" -X ssl.endpoint.identification.algorithm=none
is_refused "a certificate that is not there is named" 'ssl.ca.location' -X security.protocol=ssl -X "ssl.ca.location=$tls/nowhere.pem"
is_refused "an empty file is no password" 'password.empty is empty' "${secure[@]}" -X "sasl.password.file=$room/password.empty"
refused "a file that is not there is named" 3 "$room/nothing of sasl.password" consume "127.0.0.1:$sasl" "${secure[@]}" -X "sasl.password.file=$room/nothing"

chmod 644 "$properties" "$room/password" "$tls/client.key"
is_refused "properties with a password that everybody may read are refused" 'kafka.properties has sasl.password and is open to everybody' --kafka-config "$properties"
refused "with the line where it stands" 2 'kafka.properties, line 6' consume "127.0.0.1:$sasl" --kafka-config "$properties"
is_refused "so is a password file" 'password has sasl.password and is open to everybody' "${secure[@]}" -X "sasl.password.file=$room/password"
is_refused "and a key" 'client.key has ssl.key.location and is open to everybody' -X security.protocol=ssl -X "ssl.key.location=$tls/client.key"
chmod 640 "$room/password"
sed -i "s|^sasl.password=.*|sasl.password.file=$room/password|" "$properties"
check "properties that only name the file with the password may be read by everybody, and that by a group" \
	consume "127.0.0.1:$sasl" --kafka-config "$properties"

equal "no secret was printed" "$(grep -cE 'horse|staple|BEGIN (EC )?PRIVATE' "$said")" 0
report
