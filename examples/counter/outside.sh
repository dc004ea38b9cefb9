#!/usr/bin/env bash
# A project outside amo's own build: its only dependency is org.amo:amo-replication, taken from a repository that this
# script fills and throws away. It compiles the sources of this example, starts three members in processes of their own
# without any flag for the JVM, kills the one that serves with kill -9 in the middle of a client's calls, starts it again,
# and compares what the client was told with what every member executed.
#
#   examples/counter/outside.sh [--cache DIR] [--keep] [JAVA_HOME...]
#
# For each JAVA_HOME (default: the java on the path) everything but the build of amo itself is done anew. Nothing is put
# into your local repository. --cache DIR: take all other artifacts from that local repository instead of the network.
# --keep: leave the work folder.
# Exit code 0: passed; 1: a call was lost or ran twice, or a process failed; 2: wrong use; 3: could not build.
set -euo pipefail

threads=4
calls=1000
limit=90 # seconds, for each wait

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=
keep=
jdks=()
while (($#)); do
    case $1 in
        --cache) cache=${2:?"--cache needs a folder, for example ~/.m2/repository"}; shift ;;
        --keep) keep=yes ;;
        -*) echo "outside: unknown option $1; see the head of $0" >&2; exit 2 ;;
        *)
            [[ -x $1/bin/javac ]] || { echo "outside: $1 is no JDK (it has no bin/javac)" >&2; exit 2; }
            jdks+=("$1") ;;
    esac
    shift
done
if ((${#jdks[@]} == 0)); then
    java=$(command -v javac) || { echo "outside: no javac found; name a JDK 17 or newer" >&2; exit 2; }
    jdks=("$(dirname "$(dirname "$(readlink -f "$java")")")")
fi

work=$(mktemp -d)
declare -A running=()
end() {
    local pid
    for pid in "${running[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    if [[ -n $keep ]]; then echo "outside: the work folder is $work"; else rm -rf "$work"; fi
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "outside: FAILED: $1" >&2
    for log in "$work"/run/*.log; do
        [[ -f $log ]] && { echo "--- $(basename "$log")"; tail -n 5 "$log"; } >&2
    done
    exit 1
}

unbuilt() {
    echo "outside: $1" >&2
    tail -n 20 "$work/build.log" >&2
    exit 3
}

echo "outside: building amo into a repository of its own"
(cd "$home" && mvn -q -B -DskipTests -Dgates=off -pl amo-replication,amo-bom -am deploy \
    -DaltDeploymentRepository="outside::file://$work/repository") >"$work/build.log" 2>&1 || unbuilt "amo does not build"
version=$(sed -n 's:.*<version>\(.*\)</version>.*:\1:p' "$home/pom.xml" | head -n 1)

project=$work/project
mkdir -p "$project/src/main"
cp -r "$home/examples/counter/src/main/java" "$project/src/main/java"
cat >"$project/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>outside</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>
    <repository><id>outside</id><url>file://$work/repository</url></repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>org.amo</groupId>
      <artifactId>amo-replication</artifactId>
      <version>$version</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
      <plugin><artifactId>maven-dependency-plugin</artifactId><version>3.9.0</version></plugin>
    </plugins>
  </build>
</project>
POM

settings=()
if [[ -n $cache ]]; then
    cat >"$work/settings.xml" <<SETTINGS
<settings>
  <mirrors><mirror><id>cache</id><mirrorOf>central</mirrorOf><url>file://$(cd "$cache" && pwd)</url></mirror></mirrors>
</settings>
SETTINGS
    settings=(-s "$work/settings.xml")
fi

# start NAME CLASS ARGUMENTS...
start() {
    local name=$1
    shift
    "$java_home/bin/java" -cp "$class_path" "org.amo.examples.counter.$1" "${@:2}" >>"$work/run/$name.log" 2>&1 &
    running[$name]=$!
}

# start_member ID LIFE
start_member() {
    start "$1" CounterServer "$1" "$members" "$work/run/data" "$work/run/secret" fsync "$work/run/history-$1-$2"
}

# await WHAT CONDITION...: until the condition holds
await() {
    local what=$1 until=$((SECONDS + limit))
    shift
    until "$@"; do
        ((SECONDS < until)) || fail "$what did not happen in $limit s"
        sleep 0.1
    done
}

free_port() {
    local port
    while true; do
        port=$((11000 + RANDOM % 20000))
        [[ " ${ports[*]-} " == *" $port "* ]] && continue
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    ports+=("$port")
}

# ids FILE: of the requests that were executed, in their order. A kill can cut off the last line.
ids() { sed -n 's/^{"type":"exec".*"id":"\([^"]*\)".*}$/\1/p' "$1" 2>/dev/null; }
has_executed() { [[ $(ids "$1" | wc -l) -ge $2 ]]; }
is_served() { grep -qs 'served by' "$work/run/client.log"; }
has_ended() { ! kill -0 "${running[client]}" 2>/dev/null; }

for java_home in "${jdks[@]}"; do
    echo "outside: $("$java_home/bin/java" -version 2>&1 | head -n 1)"
    # A repository that holds nothing yet, so that every artifact comes from where a user gets it.
    (cd "$project" && rm -rf target && JAVA_HOME=$java_home mvn -q -B "${settings[@]}" -Dmaven.repo.local="$work/m2" \
        compile dependency:build-classpath -Dmdep.outputFile=target/path) >"$work/build.log" 2>&1 \
        || unbuilt "the project outside does not build"
    class_path=$project/target/classes:$(<"$project/target/path")
    # Nothing of amo but what was published, and nothing that only other modules need.
    grep -q "$work/m2/org/amo/amo-replication/" "$project/target/path" || fail "amo-replication is not from the repository"
    ! grep -qE "$home/|jacorb|chronicle|micrometer|jackson|picocli" "$project/target/path" \
        || fail "the class path holds more than it should: $(<"$project/target/path")"
    IFS=: read -ra jars <"$project/target/path" || true
    echo "outside: ${#jars[@]} jars: ${jars[*]##*/}"

    rm -rf "$work/run"
    mkdir "$work/run"
    head -c 24 /dev/urandom | base64 >"$work/run/secret"
    ports=()
    for _ in 1 2 3 4 5 6; do free_port; done
    members=a=127.0.0.1:${ports[0]}/${ports[1]},b=127.0.0.1:${ports[2]}/${ports[3]},c=127.0.0.1:${ports[4]}/${ports[5]}
    declare -A life=([a]=1 [b]=1 [c]=1)
    for id in a b c; do start_member $id 1; done
    start client CounterClient "$members" "$work/run/secret" $threads $calls "$work/run/history-client"
    await "a quarter of the calls" is_served
    victim=$(sed -n 's/.*served by \(.\).*/\1/p' "$work/run/client.log" | head -n 1)
    kill -9 "${running[$victim]}"
    wait "${running[$victim]}" 2>/dev/null || true
    has_ended && fail "the client had ended before the kill"
    life[$victim]=2
    start_member "$victim" 2
    await "the end of the client" has_ended
    wait "${running[client]}" || fail "the client saw a call that was lost or ran twice, or none at all"
    unset 'running[client]'

    total=$((threads * calls))
    sed -n 's/^{"type":"ok".*"id":"\([^"]*\)".*}$/\1/p' "$work/run/history-client" | sort >"$work/run/answered"
    [[ $(wc -l <"$work/run/answered") -eq $total ]] || fail "the client was answered $(wc -l <"$work/run/answered") times"
    for id in a b c; do
        history=$work/run/history-$id-${life[$id]}
        await "the last call at member $id" has_executed "$history" "$total"
        ids "$history" >"$work/run/executed-$id"
        # Once each, what was answered and nothing else, and at all members in one order.
        sort "$work/run/executed-$id" | cmp -s - "$work/run/answered" \
            || fail "member $id executed other requests than the client has answers for"
        cmp -s "$work/run/executed-$id" "$work/run/executed-a" || fail "members a and $id executed in different orders"
    done
    [[ $(ids "$work/run/history-$victim-1" | sort | uniq -d | wc -l) -eq 0 ]] || fail "$victim ran a request twice"
    echo "outside: passed: $(grep ' calls, ' "$work/run/client.log"); $victim was killed and is back; each call once at every member"
    for id in "${!running[@]}"; do
        kill "${running[$id]}" 2>/dev/null || true
        wait "${running[$id]}" 2>/dev/null || true
        unset "running[$id]"
    done
done
