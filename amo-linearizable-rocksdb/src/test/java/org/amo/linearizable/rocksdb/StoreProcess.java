package org.amo.linearizable.rocksdb;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcTracker;

/**
 * A server in a process of its own, with clients inside that say what they do: {@code call CLIENT NUMBER KEY} before a
 * call is handed over, {@code done CLIENT NUMBER RESULT} when it is answered.
 */
public final class StoreProcess {
    static final int CLIENTS = 4;
    static final int KEYS = 5;
    static final ClusterTime EXPIRES = new ClusterTime(1_000_000);

    private StoreProcess() {}

    /** Every lease is live. */
    static final Authority EVERYBODY_LIVES = new Authority() {
        @Override
        public CompletableFuture<LeaseAnswer> check(LeaseId client) {
            return CompletableFuture.completedFuture(new LeaseAnswer(Status.LIVE, client, EXPIRES, new ClusterTime(1)));
        }

        @Override
        public CompletableFuture<ClusterTime> time() {
            return CompletableFuture.completedFuture(new ClusterTime(1));
        }
    };

    /** Increments of most keys; key 0 is written on the condition that nobody wrote it since. */
    static Operation operation(long key, long expected) {
        return key == 0 ? Operations.conditionalWrite(expected, "x") : Operations.increment();
    }

    /** @param args directory, first client id, durability */
    public static void main(String[] args) {
        long first = Long.parseLong(args[1]);
        StoreOptions options =
                StoreOptions.builder().durability(Durability.valueOf(args[2])).build();
        LinearizableStore store =
                LinearizableStore.open(Path.of(args[0]), List.of(Operations.ALL), options, EVERYBODY_LIVES);
        for (int i = 0; i < CLIENTS; i++) {
            LeaseId client = new LeaseId(first + i);
            int index = i;
            new Thread(() -> callForEver(store, client, index)).start();
        }
    }

    private static void callForEver(LinearizableStore store, LeaseId client, int index) {
        RpcTracker tracker = new RpcTracker(client, 8);
        while (true) {
            long number = tracker.take().orElseThrow();
            // Only one client writes key 0, so that its condition holds if, and only if, its call runs once.
            long key = index == 0 && number % 3 == 0 ? 0 : 1 + (number * 7 + index) % (KEYS - 1);
            long version = key == 0
                    ? store.read(Operations.key("k0"))
                            .join()
                            .map(StoredObject::version)
                            .orElse(0L)
                    : 0;
            say("call " + client.value() + " " + number + " " + key + " " + version);
            StoreOutcome outcome = store.call(
                            tracker.header(number, EXPIRES, ClusterTime.ZERO),
                            Operations.key("k" + key),
                            operation(key, version))
                    .join();
            while (outcome.status() == StoreOutcome.Status.RETRY_LATER) {
                outcome = store.call(
                                tracker.header(number, EXPIRES, ClusterTime.ZERO),
                                Operations.key("k" + key),
                                operation(key, version))
                        .join();
            }
            say("done " + client.value() + " " + number + " " + Operations.text(outcome.result()));
            tracker.finish(number);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
