package org.amo.lab.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.amo.base.DaemonThreads;

/**
 * The load of one client process: says {@code ready}, waits for the start, says {@code progress SERVEDBY} and the
 * words of {@link LoadProgress} each half second; {@code held} in place of it while it makes no calls on demand. Its own records go
 * into a file at the end, and each time that it is held.
 */
final class LoadRun {
    private static final long PROGRESS_MILLIS = 500;
    private static final long POLL_MILLIS = 10;

    /** A load that waits this long is not started any more. */
    private static final long LONGEST_WAIT_NANOS = 300_000_000_000L;

    private LoadRun() {}

    /** @param services one for each thread */
    static void run(List<? extends LoadedService> services, LoadSettings settings)
            throws IOException, InterruptedException, CallFailedException {
        Optional<LoadHistory> history = settings.wantsHistory()
                ? Optional.of(new LoadHistory(
                        settings.client(), services.get(0).names().key(), settings.history()))
                : Optional.empty();
        CallRecord first = new CallRecord(history, settings.client() + "-first-");
        for (LoadedService service : services) {
            // Every thread is connected before the load begins. These calls count, but not their latency.
            service.listen(first);
            first.begin(service.names().balances(), "[]");
            first.ok(LoadThread.json(service.balances()), System.nanoTime());
        }
        say("ready");
        awaitGo(settings);
        long start = System.nanoTime();
        List<LoadThread> loads = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (LoadedService service : services) {
            String name = settings.client() + "-t" + (loads.size() + 1);
            LoadThread load = new LoadThread(service, name, settings.shape(), start, history);
            load.hurry(Files.exists(settings.hurry()));
            loads.add(load);
            threads.add(DaemonThreads.start("amo-load-" + name, load));
        }
        boolean wasHeld = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                thread.join(PROGRESS_MILLIS);
                if (!Files.exists(settings.go())) {
                    loads.forEach(LoadThread::stop);
                }
                boolean hurry = Files.exists(settings.hurry());
                loads.forEach(load -> load.hurry(hurry));
                boolean hold = Files.exists(settings.hold());
                loads.forEach(load -> load.hold(hold));
                boolean held = hold && areAtRest(loads, threads);
                if (held && !wasHeld) {
                    write(report(settings.client(), start, loads), settings);
                }
                wasHeld = held;
                LoadProgress progress =
                        loads.stream().map(LoadProgress::of).reduce(LoadProgress.NONE, LoadProgress::plus);
                say(held ? "held" : "progress " + services.get(0).servedBy() + " " + progress.words());
            }
        }
        if (history.isPresent()) {
            history.get().close();
        }
        write(report(settings.client(), start, loads), settings);
    }

    /** A thread that has ended at a defect rests, too. */
    private static boolean areAtRest(List<LoadThread> loads, List<Thread> threads) {
        for (int i = 0; i < loads.size(); i++) {
            if (!loads.get(i).isAtRest() && threads.get(i).isAlive()) {
                return false;
            }
        }
        return true;
    }

    private static void write(LoadReport report, LoadSettings settings) throws IOException {
        new ObjectMapper().writeValue(settings.report().toFile(), report);
    }

    private static LoadReport report(String client, long start, List<LoadThread> loads) {
        Histogram latencies = new Histogram(3);
        Map<String, Long> problems = new TreeMap<>();
        List<AccountRecord> accounts = new ArrayList<>();
        List<Long> gaps = new ArrayList<>();
        long end = start;
        for (LoadThread load : loads) {
            latencies.add(load.latencies());
            load.problems().forEach((text, count) -> problems.merge(text, count, Long::sum));
            accounts.addAll(load.accounts());
            for (int i = 0; i < load.longestGapMicros().size(); i++) {
                long gap = load.longestGapMicros().get(i);
                if (i < gaps.size()) {
                    gaps.set(i, Math.max(gaps.get(i), gap));
                } else {
                    gaps.add(gap);
                }
            }
            end = Math.max(end, load.lastNanos());
        }
        ByteBuffer bytes = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        int length = latencies.encodeIntoCompressedByteBuffer(bytes);
        byte[] histogram = new byte[length];
        bytes.flip().get(histogram);
        return new LoadReport(
                client,
                loads.size() + loads.stream().mapToLong(LoadThread::calls).sum(),
                loads.size() + loads.stream().mapToLong(LoadThread::ok).sum(),
                loads.stream().mapToLong(LoadThread::failed).sum(),
                loads.stream().mapToLong(LoadThread::unknown).sum(),
                loads.stream().mapToLong(LoadThread::defects).sum(),
                accounts,
                Base64.getEncoder().encodeToString(histogram),
                start,
                end,
                gaps,
                problems);
    }

    private static void awaitGo(LoadSettings settings) throws InterruptedException {
        long giveUp = System.nanoTime() + LONGEST_WAIT_NANOS;
        while (!Files.exists(settings.go())) {
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException("the load was not started: " + settings.go() + " did not appear");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
