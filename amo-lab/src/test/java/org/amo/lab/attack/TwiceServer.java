package org.amo.lab.attack;

import java.io.IOException;
import org.amo.examples.counter.CountersInMemory;
import org.amo.lab.cluster.ScmpCounterServer;

/** A member that misbehaves on purpose: it executes calls on the account of one attack twice. */
final class TwiceServer {
    /** The attack whose calls run twice. */
    static final String ATTACK = "scmp-replay";

    private TwiceServer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        ScmpCounterServer.serve(args, new CountersInMemory() {
            @Override
            public long add(String name, long amount) {
                long once = super.add(name, amount);
                return name.endsWith(ATTACK) ? super.add(name, amount) : once;
            }
        });
    }
}
