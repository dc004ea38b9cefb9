package org.amo.examples.counter;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;

/**
 * Adds 1 to a counter of each thread's own, again and again: {@code CounterClient MEMBERS SECRETFILE THREADS CALLS
 * [HISTORY]}. Each result tells whether the call before was lost or ran twice. Exit code 1 if one was.
 */
final class CounterClient {
    private static final AtomicLong LONGEST_MILLIS = new AtomicLong();

    private CounterClient() {}

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        if (args.length < 4) {
            System.err.println("usage: CounterClient MEMBERS SECRETFILE THREADS CALLS [HISTORY]");
            System.exit(2);
        }
        int threads = Integer.parseInt(args[2]);
        long calls = Long.parseLong(args[3]);
        long wrong = 0;
        AmoClient.Builder builder = AmoClient.builder("counters")
                .members(args[0])
                .secretFile(Path.of(args[1]))
                .deadline(Duration.ofSeconds(30));
        if (args.length > 4) {
            builder.history(Path.of(args[4]), "client");
        }
        try (AmoClient client = builder.build()) {
            ExecutorService pool = Executors.newFixedThreadPool(threads);
            List<Future<Long>> results = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                String name = client.id() + "/" + thread;
                results.add(pool.submit(() -> count(client, name, calls)));
            }
            for (Future<Long> result : results) {
                wrong += result.get();
            }
            pool.shutdown();
            System.out.println(threads * calls + " calls, " + wrong + " wrong, longest " + LONGEST_MILLIS.get()
                    + " ms, " + client.moves() + " moves");
        }
        System.exit(wrong == 0 ? 0 : 1);
    }

    private static long count(AmoClient client, String name, long calls) {
        Counters counters = client.proxy(Counters.class);
        long wrong = 0;
        for (long i = 1; i <= calls; i++) {
            try {
                long began = System.nanoTime();
                long now = counters.add(name, 1);
                if (i > 1) {
                    // The first call may wait for members that start.
                    LONGEST_MILLIS.accumulateAndGet(
                            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began), Math::max);
                }
                if (now != i) {
                    System.out.println(name + " is " + now + " after " + i + " calls");
                    wrong++;
                }
                if (i == calls / 4) {
                    System.out.println(name + " is at " + now + ", served by " + client.servedBy());
                }
            } catch (AmoException why) {
                System.out.println(why.getMessage());
                wrong++;
            }
        }
        return wrong;
    }
}
