package org.amo.cli.attack;

import org.amo.cli.cluster.CounterServer;
import org.amo.examples.counter.Counters;
import org.amo.examples.counter.CountersInMemory;

/** A member that misbehaves on purpose: it writes a hundred lines a second into its log. */
public final class TalkativeServer {
    private TalkativeServer() {}

    public static void main(String[] args) throws InterruptedException {
        Thread talk = new Thread(TalkativeServer::talk, "amo-test-talk");
        talk.setDaemon(true);
        talk.start();
        CounterServer.serve(args, Counters.class, new CountersInMemory(), builder -> {});
    }

    private static void talk() {
        try {
            while (true) {
                System.err.println("a member that says too much");
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
