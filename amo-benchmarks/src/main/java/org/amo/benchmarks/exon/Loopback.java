package org.amo.benchmarks.exon;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.figures.Spread;
import org.amo.exon.Outcome;
import org.amo.exon.udp.ExonEndpoint;

/** Small messages between two endpoints of this process, over loopback: their cost in processor time. */
final class Loopback {
    static final int BYTES = 100;

    private final List<Double> perSecond = new ArrayList<>();
    private final List<Double> perCpuSecond = new ArrayList<>();
    private final List<Double> compilerPercent = new ArrayList<>();

    /** @param warmSeconds before the rounds, in which the just-in-time compiler does its work */
    void run(int warmSeconds, int rounds, int seconds) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        LongAdder got = new LongAdder();
        try (ExonEndpoint to = ExonStack.endpoint(ExonStack.RECEIVER, any, (from, message) -> got.increment());
                ExonEndpoint from = ExonStack.endpoint(ExonStack.SENDER, any, (sender, message) -> {})) {
            from.hint(ExonStack.RECEIVER, to.address());
            Thread sender = DaemonThreads.start("amo-bench-loopback", () -> send(from));
            TimeUnit.SECONDS.sleep(warmSeconds);
            for (int i = 0; i < rounds; i++) {
                long start = System.nanoTime();
                Spent before = spent();
                long gotBefore = got.sum();
                TimeUnit.SECONDS.sleep(seconds);
                double count = got.sum() - gotBefore;
                Spent since = spent().since(before);
                perSecond.add(count * 1e9 / (System.nanoTime() - start));
                perCpuSecond.add(count / since.seconds());
                compilerPercent.add(100 * since.compilerShare());
            }
            sender.interrupt();
        }
    }

    private static void send(ExonEndpoint from) {
        byte[] message = new byte[BYTES];
        while (!Thread.currentThread().isInterrupted()) {
            CompletableFuture<Outcome> unused = from.send(ExonStack.RECEIVER, message, Duration.ofMinutes(1));
        }
    }

    /** By the whole process: both ends, the application, the collector and the compiler. */
    private static Spent spent() {
        return Spent.of(LongStream.of(ProcessHandle.current().pid()));
    }

    /** How much of that time was the just-in-time compiler's. */
    Spread compilerPercent() {
        return Spread.of(compilerPercent);
    }

    Spread perSecond() {
        return Spread.of(perSecond);
    }

    /** Both ends share that second. */
    Spread perCpuSecond() {
        return Spread.of(perCpuSecond);
    }
}
