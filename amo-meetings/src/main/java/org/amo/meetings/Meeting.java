package org.amo.meetings;

import java.util.List;
import java.util.function.Supplier;

/** One short life of a structure: the act of each thread on it, and the condition that must hold afterwards. */
public interface Meeting {

    /** An act of one thread. An exception from it is a violation. */
    @FunctionalInterface
    interface Act {
        void run() throws Exception;
    }

    /** The acts, each for a thread of its own, begun together. As many in every life of the structure. */
    List<Act> acts();

    /**
     * Describes the violation, or is the empty string. Asked once, when all acts have ended, by a thread that sees all that
     * they did. An act that does not end is a violation, too, found after half a minute.
     */
    String violation();

    /**
     * A meeting of these acts.
     *
     * @param violation as {@link #violation}
     */
    static Meeting of(Supplier<String> violation, Act... acts) {
        List<Act> all = List.of(acts);
        return new Meeting() {
            @Override
            public List<Act> acts() {
                return all;
            }

            @Override
            public String violation() {
                return violation.get();
            }
        };
    }
}
