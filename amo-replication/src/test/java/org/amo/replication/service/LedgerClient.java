package org.amo.replication.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.base.DaemonThreads;

/**
 * A client in a process of its own, which is killed at any time: {@code LedgerClient MEMBERS FOLDER}. It keeps a ledger, a line {@code
 * KEY RESULT} for each call, and never makes a call under a key that has a line. Once there is a file {@code finish} it makes no calls
 * of its own.
 */
public final class LedgerClient {
    private static final int THREADS = 4;

    private final Path ledger;

    /** By key. */
    private final Map<String, String> lines = new HashMap<>();

    private LedgerClient(Path ledger) {
        this.ledger = ledger;
    }

    /** What it calls. */
    interface Tally {
        /** Returns how many keys there are then. */
        long add(String key);
    }

    static final class TallyService implements Tally {
        private final TreeMap<String, Long> results = new TreeMap<>();
        private long twice;

        @Override
        public long add(String key) {
            long next = results.size() + 1L;
            if (results.containsKey(key)) {
                twice++;
            } else {
                results.put(key, next);
            }
            return next;
        }

        Map<String, String> results() {
            Map<String, String> text = new TreeMap<>();
            results.forEach((key, result) -> text.put(key, String.valueOf(result)));
            return text;
        }

        long twice() {
            return twice;
        }
    }

    /** The whole lines of a ledger: a kill may have torn the last one. */
    static Map<String, String> read(Path ledger) throws IOException {
        Map<String, String> read = new TreeMap<>();
        String text = Files.exists(ledger) ? Files.readString(ledger) : "";
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            int space = line.indexOf(' ');
            if (read.put(line.substring(0, space), line.substring(space + 1)) != null) {
                throw new IOException(line + " stands twice in the ledger");
            }
        }
        return read;
    }

    private synchronized void write(String key, String result) {
        if (lines.putIfAbsent(key, result) != null) {
            return;
        }
        try {
            Files.write(
                    ledger,
                    (key + " " + result + "\n").getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void recovered(RecoveredCall call) {
        String key = String.valueOf(call.arguments(Tally.class).get(0));
        if (call.failure().isEmpty()) {
            write(key, String.valueOf(call.result(Tally.class)));
        } else {
            write(key, call.failure().get().getClass().getSimpleName());
        }
        System.out.println("recovered " + call);
    }

    private void callForEver(Tally service, int thread) {
        for (int number = 1; ; number++) {
            String key = thread + "-" + number;
            boolean known;
            synchronized (this) {
                known = lines.containsKey(key);
            }
            if (!known) {
                write(key, String.valueOf(service.add(key)));
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        LedgerClient client = new LedgerClient(folder.resolve("ledger"));
        client.lines.putAll(read(client.ledger));
        AmoClient calls = AmoClient.builder("tally")
                .members(arguments[0])
                .insecure()
                .deadline(Duration.ofSeconds(60))
                .identity(folder.resolve("identity"))
                .build();
        System.out.println("up");
        int left = calls.recover(client::recovered);
        System.out.println("left " + left);
        if (Files.exists(folder.resolve("finish"))) {
            calls.close();
            System.exit(left);
        }
        Tally service = calls.proxy(Tally.class);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            threads.add(DaemonThreads.start("amo-test-ledger", () -> client.callForEver(service, thread)));
        }
        for (Thread each : threads) {
            each.join();
        }
    }
}
