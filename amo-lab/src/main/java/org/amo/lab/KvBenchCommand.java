package org.amo.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.MalformedFrameException;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOption;
import org.amo.examples.kv.KvAccess;
import org.amo.examples.kv.KvClient;
import org.amo.examples.kv.KvException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo kv bench}: load on a running cluster, and a check that no increment was lost or ran twice. */
@Command(
        name = "bench",
        description = "Increment counters of a running cluster by many threads; fails if one was lost or ran twice.",
        sortOptions = false)
final class KvBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Option(
            names = "--threads",
            defaultValue = "8",
            paramLabel = "N",
            description = "Threads, all of one client. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--duration",
            converter = Durations.class,
            defaultValue = "10s",
            paramLabel = "TIME",
            description = "How long. Default: ${DEFAULT-VALUE}.")
    private Long durationMillis = 0L;

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    private final Histogram micros = new ConcurrentHistogram(3);
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();

    @Override
    public Integer call() throws InterruptedException {
        if (threads < 1 || threads > 1_000) {
            throw CliException.user("--threads is 1 to 1000, not " + threads);
        }
        json.check();
        KvAccess cluster = access.access();
        String run = Long.toHexString(ThreadLocalRandom.current().nextLong());
        long resent;
        long began;
        try (KvClient client = KvClient.open(cluster, Duration.ofSeconds(60), Duration.ofSeconds(1))) {
            // The first call opens the lease and learns where ranges are.
            client.increment(bytes("bench " + run), 1);
            began = System.nanoTime();
            List<Thread> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                byte[] key = bytes("bench " + run + " " + i);
                running.add(DaemonThreads.unstarted(
                        "amo-kv-bench-" + i,
                        () -> count(
                                amount -> client.increment(key, amount).number(),
                                System.nanoTime() + durationMillis * 1_000_000)));
            }
            running.forEach(Thread::start);
            for (Thread each : running) {
                each.join();
            }
            resent = client.resent();
        } catch (KvException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
        report((System.nanoTime() - began) / 1e9, resent);
        return exitCode();
    }

    /** A run without a call shows nothing. */
    int exitCode() {
        boolean good = calls.get() > 0 && wrong.get() == 0 && unknown.get() == 0;
        return good ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    /**
     * Each thread has a counter of its own, so each result tells the outcome of the call before; in the end, an increment by 0 that of
     * the last one.
     *
     * @param increment adds an amount to the counter, and answers its new number
     */
    void count(LongUnaryOperator increment, long endNanos) {
        long expected = 0;
        try {
            while (System.nanoTime() < endNanos) {
                long start = System.nanoTime();
                long number = increment.applyAsLong(1);
                wrong.addAndGet(number == ++expected ? 0 : 1);
                expected = number;
                micros.recordValue((System.nanoTime() - start) / 1_000);
                calls.incrementAndGet();
            }
            wrong.addAndGet(increment.applyAsLong(0) == expected ? 0 : 1);
        } catch (KvException | MalformedFrameException e) {
            unknown.incrementAndGet();
            spec.commandLine().getErr().println(e.getMessage());
        }
    }

    private void report(double seconds, long resent) {
        double perSecond = Math.round(calls.get() / seconds);
        if (!json.isStandardOutput()) {
            spec.commandLine()
                    .getOut()
                    .println(calls + " increments, " + (long) perSecond + " a second, " + wrong + " wrong, " + unknown
                            + " unknown, " + resent + " copies; median " + micros.getValueAtPercentile(50) + " us, p99 "
                            + micros.getValueAtPercentile(99) + " us, longest " + micros.getMaxValue() + " us");
        }
        ObjectNode object = new ObjectMapper().createObjectNode();
        object.put("calls", calls.get()).put("wrong", wrong.get()).put("unknown", unknown.get());
        object.put("resent", resent).put("throughputPerSecond", perSecond);
        object.putObject("latencyMicros")
                .put("p50", micros.getValueAtPercentile(50))
                .put("p99", micros.getValueAtPercentile(99))
                .put("max", micros.getMaxValue());
        json.write(object, spec.commandLine().getOut());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
