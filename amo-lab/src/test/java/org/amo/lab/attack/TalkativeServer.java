package org.amo.lab.attack;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.amo.lab.cluster.ScmpCounterServer;

/** A member that misbehaves on purpose: it writes a hundred lines a second into its log. */
public final class TalkativeServer {
    private TalkativeServer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        ScheduledExecutorService talk = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "amo-test-talk");
            thread.setDaemon(true);
            return thread;
        });
        ScheduledFuture<?> unused = talk.scheduleAtFixedRate(
                () -> System.err.println("a member that says too much"), 0, 10, TimeUnit.MILLISECONDS);
        ScmpCounterServer.main(args);
    }
}
