package org.amo.cli.load;

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
import org.amo.examples.bank.idl.Bank;
import org.amo.examples.bank.idl.BankHelper;
import org.omg.CORBA.ORB;

/**
 * A client process. An ordinary CORBA program: run plainly it loads a plain bank. It says {@code ready},
 * waits for the start, says {@code progress CALLS OK SERVEDBY} each second, and leaves its own records in a file.
 */
public final class BankLoad {
    private static final long PROGRESS_MILLIS = 500;
    private static final long POLL_MILLIS = 10;

    /** Nobody starts a load that waits this long. */
    private static final long LONGEST_WAIT_NANOS = 300_000_000_000L;

    private BankLoad() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        LoadSettings settings = LoadSettings.parse(args);
        List<ORB> orbs = new ArrayList<>();
        for (int i = 0; i < (settings.shape().ownOrbs() ? settings.shape().threads() : 1); i++) {
            orbs.add(CallObserver.orb());
        }
        LoadReport report = run(orbs, settings);
        new ObjectMapper().writeValue(settings.report().toFile(), report);
        orbs.forEach(orb -> orb.shutdown(true));
        say("done");
    }

    private static LoadReport run(List<ORB> orbs, LoadSettings settings) throws IOException, InterruptedException {
        String reference = Files.readString(settings.reference()).strip();
        Optional<ClientHistory> history = settings.wantsHistory()
                ? Optional.of(new ClientHistory(settings.client(), settings.history()))
                : Optional.empty();
        List<Bank> banks = new ArrayList<>();
        CallRecord first = new CallRecord(history, settings.client() + "-first-");
        CallObserver.listen(first);
        for (int i = 0; i < settings.shape().threads(); i++) {
            // Every stub is connected before the load begins. These calls count, but not their latency.
            Bank bank = BankHelper.unchecked_narrow(orbs.get(i % orbs.size()).string_to_object(reference));
            first.begin("balances", "[]");
            first.ok(LoadThread.json(bank.balances()), System.nanoTime());
            banks.add(bank);
        }
        say("ready");
        awaitGo(settings);
        long start = System.nanoTime();
        List<LoadThread> loads = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < settings.shape().threads(); i++) {
            String name = settings.client() + "-t" + (i + 1);
            LoadThread load = new LoadThread(banks.get(i), name, settings.shape(), start, history);
            Thread thread = new Thread(load, "amo-load-" + name);
            thread.setDaemon(true);
            loads.add(load);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                thread.join(PROGRESS_MILLIS);
                if (!Files.exists(settings.go())) {
                    loads.forEach(LoadThread::stop);
                }
                say("progress " + loads.stream().mapToLong(LoadThread::calls).sum() + " "
                        + loads.stream().mapToLong(LoadThread::ok).sum() + " " + CallObserver.servedBy());
            }
        }
        if (history.isPresent()) {
            history.get().close();
        }
        return report(settings.client(), start, loads);
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
                throw new IllegalStateException("nobody started the load: " + settings.go() + " did not appear");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
