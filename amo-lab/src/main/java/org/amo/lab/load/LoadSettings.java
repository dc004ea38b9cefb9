package org.amo.lab.load;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings of one client process.
 *
 * @param reference file that says where the service is: the bank's object reference, or a counters' reference
 * @param go its appearance starts the load, so that all clients begin together; without it the load ends
 * @param report where the client's own records go
 * @param history where its events go; an empty path for none
 */
public record LoadSettings(String client, Shape shape, Path reference, Path go, Path report, Path history) {

    /**
     * The shape of the load.
     *
     * @param threads in each process, each with an account of its own
     * @param seed chooses the calls of each thread
     * @param ownOrbs whether each thread is a client of its own, with its own ORB and connections
     * @param sharedAccounts to which all threads make deposits too; 0 for none
     * @param mostPauseMillis between two calls of a thread, drawn anew for each, one in eight of them eight times as long; 0
     *     for none
     * @param readsPercent of the calls that read all balances; 0 for a few
     */
    public record Shape(
            int threads,
            long durationMillis,
            long seed,
            boolean ownOrbs,
            int sharedAccounts,
            int mostPauseMillis,
            int readsPercent) {

        /** With a few reads. */
        public Shape(
                int threads, long durationMillis, long seed, boolean ownOrbs, int sharedAccounts, int mostPauseMillis) {
            this(threads, durationMillis, seed, ownOrbs, sharedAccounts, mostPauseMillis, 0);
        }

        /** As many calls as can be made, each thread on accounts of its own. */
        public static Shape full(int threads, long durationMillis, long seed) {
            return new Shape(threads, durationMillis, seed, false, 0, 0);
        }
    }

    /** The words that {@link #parse} reads. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        words.add("client=" + client);
        words.add("threads=" + shape.threads);
        words.add("durationMillis=" + shape.durationMillis);
        words.add("seed=" + shape.seed);
        words.add("ownOrbs=" + shape.ownOrbs);
        words.add("sharedAccounts=" + shape.sharedAccounts);
        words.add("mostPauseMillis=" + shape.mostPauseMillis);
        words.add("readsPercent=" + shape.readsPercent);
        words.add("reference=" + reference);
        words.add("go=" + go);
        words.add("report=" + report);
        words.add("history=" + history);
        return words;
    }

    static LoadSettings parse(String[] words) {
        Map<String, String> values = new HashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return new LoadSettings(
                value(values, "client"),
                new Shape(
                        Integer.parseInt(value(values, "threads")),
                        Long.parseLong(value(values, "durationMillis")),
                        Long.parseLong(value(values, "seed")),
                        Boolean.parseBoolean(value(values, "ownOrbs")),
                        Integer.parseInt(value(values, "sharedAccounts")),
                        Integer.parseInt(value(values, "mostPauseMillis")),
                        Integer.parseInt(value(values, "readsPercent"))),
                Path.of(value(values, "reference")),
                Path.of(value(values, "go")),
                Path.of(value(values, "report")),
                Path.of(value(values, "history")));
    }

    /** While this file is there, threads make no pauses. */
    Path hurry() {
        return go.resolveSibling("hurry");
    }

    /** While this file is there, threads make no calls. */
    Path hold() {
        return go.resolveSibling("hold");
    }

    boolean wantsHistory() {
        return !history.toString().isEmpty();
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the load's setting " + name + " is missing");
        }
        return value;
    }
}
