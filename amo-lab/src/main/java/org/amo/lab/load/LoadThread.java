package org.amo.lab.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * One thread of load on two accounts of its own: it calls one after the other and checks every answer against its own
 * records. One thread owns it; others may read its counters, and the rest after it has ended.
 */
final class LoadThread implements Runnable {
    /** Begins the names of accounts that all threads use. */
    static final String SHARED = "shared-";

    private static final long LARGEST_AMOUNT = 100;
    private static final int DEPOSITS_PERCENT = 92;
    private static final int TRANSFERS_PERCENT = 6;

    /** Of the deposits, when accounts are shared. */
    private static final int SHARED_PERCENT = 40;

    private static final int MOST_PROBLEMS = 20;
    private static final long LONGEST_CALL_MICROS = 3_600_000_000L;

    /** After a refusal, so that a group without a majority is not called as fast as it can refuse. */
    private static final long PAUSE_MILLIS = 10;

    /** Only a client that pauses leaves time between a reply and its acknowledgement: the next call acknowledges. */
    private static final int LONG_PAUSE_ONE_IN = 8;

    private static final int LONG_PAUSE = 8;

    /** How often a held thread looks whether it may go on. */
    private static final long HELD_MILLIS = 10;

    private final LoadedService service;
    private final long endNanos;
    private final int sharedAccounts;
    private final int mostPauseMillis;
    private final int readsPercent;
    private final SplittableRandom random;
    private final CallRecord events;
    private final Account account;
    private final Account savings;

    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong ok = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final Histogram latencies = new Histogram(LONGEST_CALL_MICROS, 3);
    private final List<Long> longestGapMicros = new ArrayList<>();
    private final Map<String, Long> problems = new TreeMap<>();
    private final long startNanos;
    private long lastNanos;
    private volatile boolean stopped;
    private volatile boolean hurries;
    private volatile boolean held;
    private volatile boolean isAtRest;
    private long defects;

    LoadThread(
            LoadedService service,
            String name,
            LoadSettings.Shape shape,
            long startNanos,
            Optional<LoadHistory> history) {
        this.service = service;
        this.sharedAccounts = shape.sharedAccounts();
        this.mostPauseMillis = shape.mostPauseMillis();
        this.readsPercent = shape.readsPercent();
        this.random = new SplittableRandom(shape.seed() * 1_000_003 + name.hashCode());
        this.startNanos = startNanos;
        this.lastNanos = startNanos;
        this.endNanos = startNanos + shape.durationMillis() * 1_000_000;
        this.events = new CallRecord(history, name + "-");
        this.account = new Account(name);
        this.savings = new Account(name + "-savings");
    }

    @Override
    public void run() {
        service.listen(events);
        boolean go = true;
        while (go && !stopped && System.nanoTime() < endNanos) {
            try {
                go = awaitRelease() && (callOnce() || pause(PAUSE_MILLIS));
                go = go && think();
            } catch (RuntimeException e) {
                // Not one of the answers that a call can have: a defect. The thread ends, and its call counts as
                // unknown.
                problem(e.toString());
                calls.incrementAndGet();
                unknown.incrementAndGet();
                defects++;
                go = false;
            }
        }
        if (!go || failed.get() + unknown.get() > 0) {
            // The last gap may have no answered call at its end.
            onGapEnds(Math.max(lastNanos, endNanos));
        }
    }

    /** Whether it makes its next calls without the pauses of its shape. */
    void hurry(boolean now) {
        hurries = now;
    }

    /** Whether it makes no calls for now; the present one goes on. */
    void hold(boolean now) {
        held = now;
    }

    /** Whether it is held and has no call under way. Then its records may be read by the thread that releases it. */
    boolean isAtRest() {
        return isAtRest;
    }

    /** After its present call it makes no other. */
    void stop() {
        stopped = true;
    }

    /** @return whether it may call */
    private boolean awaitRelease() {
        if (!held) {
            return true;
        }
        isAtRest = true;
        boolean go = true;
        while (go && held && !stopped) {
            go = pause(HELD_MILLIS);
        }
        isAtRest = false;
        lastNanos = System.nanoTime(); // the rest is no gap between answers
        return go && !stopped;
    }

    /** @return whether it was answered */
    private boolean callOnce() {
        if (readsPercent > 0 && random.nextInt(100) < readsPercent) {
            return balances();
        }
        int choice = random.nextInt(100);
        long amount = random.nextLong(1, LARGEST_AMOUNT + 1);
        if (choice < DEPOSITS_PERCENT) {
            boolean shared = sharedAccounts > 0 && random.nextInt(100) < SHARED_PERCENT;
            return shared ? depositShared(SHARED + random.nextInt(sharedAccounts), amount) : deposit(amount);
        }
        return choice < DEPOSITS_PERCENT + TRANSFERS_PERCENT ? transfer(amount) : balances();
    }

    long calls() {
        return calls.get();
    }

    long ok() {
        return ok.get();
    }

    long failed() {
        return failed.get();
    }

    long unknown() {
        return unknown.get();
    }

    /** Answers so far that only a second execution explains. */
    long repeated() {
        return account.repeated() + savings.repeated();
    }

    /** Answers so far that only a lost execution explains. */
    long missing() {
        return account.missing() + savings.missing();
    }

    long defects() {
        return defects;
    }

    long lastNanos() {
        return lastNanos;
    }

    Histogram latencies() {
        return latencies;
    }

    List<Long> longestGapMicros() {
        return longestGapMicros;
    }

    Map<String, Long> problems() {
        return problems;
    }

    List<AccountRecord> accounts() {
        return List.of(account.record(), savings.record());
    }

    private boolean deposit(long amount) {
        account.onIssued();
        long start = events.begin(service.names().deposit(), "[\"" + account.name() + "\"," + amount + "]");
        try {
            long balance = service.deposit(account.name(), amount);
            onOk(start, Long.toString(balance));
            account.onDeposited(amount, balance);
            return true;
        } catch (CallFailedException e) {
            if (onException(e)) {
                account.onFailed();
            } else {
                account.onUnknown(amount);
            }
            return false;
        }
    }

    /** Deposits to an account of all clients; this thread cannot know its balance between two calls. */
    private boolean depositShared(String shared, long amount) {
        long start = events.begin(service.names().deposit(), "[\"" + shared + "\"," + amount + "]");
        try {
            onOk(start, Long.toString(service.deposit(shared, amount)));
            return true;
        } catch (CallFailedException e) {
            onException(e);
            return false;
        }
    }

    private boolean transfer(long amount) {
        account.onIssued();
        savings.onIssued();
        long start = events.begin(
                service.names().transfer(), "[\"" + account.name() + "\",\"" + savings.name() + "\"," + amount + "]");
        try {
            boolean done = service.transfer(account.name(), savings.name(), amount);
            onOk(start, Boolean.toString(done));
            account.onTransferred(savings, amount, done);
            return true;
        } catch (CallFailedException e) {
            if (onException(e)) {
                account.onFailed();
                savings.onFailed();
            } else {
                account.onUnknown(-amount);
                savings.onUnknown(amount);
            }
            return false;
        }
    }

    private boolean balances() {
        long start = events.begin(service.names().balances(), "[]");
        try {
            Map<String, Long> seen = service.balances();
            onOk(start, json(seen));
            account.onSeen(seen.getOrDefault(account.name(), 0L));
            savings.onSeen(seen.getOrDefault(savings.name(), 0L));
            return true;
        } catch (CallFailedException e) {
            onException(e);
            return false;
        }
    }

    /** As the history writes all balances. */
    static String json(Map<String, Long> balances) {
        StringJoiner json = new StringJoiner(",", "[", "]");
        balances.forEach((account, amount) -> json.add("[\"" + account + "\"," + amount + "]"));
        return json.toString();
    }

    private void onOk(long start, String value) {
        long now = System.nanoTime();
        calls.incrementAndGet();
        ok.incrementAndGet();
        latencies.recordValue(Math.min(LONGEST_CALL_MICROS, (now - start) / 1_000));
        onGapEnds(now);
        events.ok(value, now);
    }

    /** @return whether the call certainly did not run */
    private boolean onException(CallFailedException e) {
        long now = System.nanoTime();
        calls.incrementAndGet();
        problem(String.valueOf(e.getMessage()));
        if (e.certain()) {
            failed.incrementAndGet();
            events.fail(e.reason(), now);
        } else {
            unknown.incrementAndGet();
            events.info(e.reason(), now);
        }
        return e.certain();
    }

    private void problem(String text) {
        if (problems.containsKey(text) || problems.size() < MOST_PROBLEMS) {
            problems.merge(text, 1L, Long::sum);
        }
    }

    /** A gap lasts from one answered call to the next: exceptions do not end it. */
    private void onGapEnds(long now) {
        int tick = (int) Math.max(0, (now - startNanos) / LoadReport.TICK_NANOS);
        while (longestGapMicros.size() <= tick) {
            longestGapMicros.add(0L);
        }
        longestGapMicros.set(tick, Math.max(longestGapMicros.get(tick), (now - lastNanos) / 1_000));
        lastNanos = now;
    }

    private boolean think() {
        if (mostPauseMillis == 0 || hurries) {
            return true;
        }
        int most = random.nextInt(LONG_PAUSE_ONE_IN) == 0 ? LONG_PAUSE * mostPauseMillis : mostPauseMillis;
        return pause(random.nextInt(most));
    }

    private static boolean pause(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
