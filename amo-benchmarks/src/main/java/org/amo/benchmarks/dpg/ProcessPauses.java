package org.amo.benchmarks.dpg;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.order.LineProcess;

/**
 * Pauses at sites of this process while another site, a process of its own, is killed, comes back, is stopped and goes on. One thread
 * owns it.
 */
final class ProcessPauses {
    private static final int WATCHED = 3;
    private static final long READY_SECONDS = 30;
    private static final List<String> SMALL = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private final double perSecondAndSite;
    private final int bytes;
    private final long windowMillis;

    /** An event in the life of the process. */
    private interface Event {
        void happen() throws IOException, InterruptedException;
    }

    /** @param windowMillis for each event, which comes after a fifth of it */
    ProcessPauses(double perSecondAndSite, int bytes, long windowMillis) {
        this.perSecondAndSite = perSecondAndSite;
        this.bytes = bytes;
        this.windowMillis = windowMillis;
    }

    /** The longest pause in milliseconds at any watched site, by the event; the first is without one. */
    Map<String, Double> run(OrderAudit audit) throws Exception {
        DpgMulticast multicast = new DpgMulticast(WATCHED + 1);
        GroupRun group = new GroupRun(multicast, WATCHED, perSecondAndSite, bytes);
        Path log = Files.createTempFile("amo-bench-dpg", ".log");
        Map<String, Double> pauses = new LinkedHashMap<>();
        try (group;
                LineProcess first = start(multicast, log)) {
            group.start();
            first.awaitReady(READY_SECONDS);
            pauses.put("none", pause(group, () -> {}));
            pauses.put("kill -9", pause(group, first::close));
            try (LineProcess second = start(multicast, log)) {
                pauses.put("return", pause(group, () -> second.awaitReady(READY_SECONDS)));
                pauses.put("SIGSTOP", pause(group, () -> signal("-STOP", second)));
                pauses.put("SIGCONT", pause(group, () -> signal("-CONT", second)));
            }
        } finally {
            Files.delete(log);
        }
        group.audit(audit);
        return pauses;
    }

    private LineProcess start(DpgMulticast multicast, Path log) throws IOException {
        List<String> arguments = multicast.arguments();
        return LineProcess.start("a site", DpgSiteProgram.class, SMALL, arguments, log);
    }

    private double pause(GroupRun group, Event event) throws Exception {
        CompletableFuture<Void> happened = CompletableFuture.runAsync(
                () -> {
                    try {
                        event.happen();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new CompletionException(e);
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                CompletableFuture.delayedExecutor(windowMillis / 5, TimeUnit.MILLISECONDS));
        double millis = group.window(windowMillis, 0).longestPauseMillis();
        happened.get(READY_SECONDS, TimeUnit.SECONDS);
        return millis;
    }

    private static void signal(String name, LineProcess process) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill " + name + " failed with exit code " + code);
        }
    }
}
