package org.amo.examples.grid;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Lets some messages come out of order at one site: each of them is overtaken by the next few. One thread owns it. */
final class Disorder {
    private static final int MOST_OVERTAKEN = 10;

    private final double share;
    private final Random random;
    private final Consumer<GridMessage> to;
    private final List<Held> held = new ArrayList<>();

    private static final class Held {
        final GridMessage message;
        int left;

        Held(GridMessage message, int left) {
            this.message = message;
            this.left = left;
        }
    }

    /** @param share of messages that are overtaken, 0 to 1 */
    Disorder(double share, long seed, Consumer<GridMessage> to) {
        this.share = share;
        this.random = new Random(seed);
        this.to = to;
    }

    void accept(GridMessage message) {
        if (random.nextDouble() < share) {
            held.add(new Held(message, 1 + random.nextInt(MOST_OVERTAKEN)));
            return;
        }
        to.accept(message);
        for (Held each : List.copyOf(held)) {
            if (--each.left == 0) {
                held.remove(each);
                to.accept(each.message);
            }
        }
    }
}
