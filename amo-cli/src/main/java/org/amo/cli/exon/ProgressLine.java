package org.amo.cli.exon;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * One line of a terminal with how much is done, how fast, and how long the rest takes. It fits 80 columns, since a line that a
 * terminal has wrapped cannot be rewritten. One thread owns it.
 */
final class ProgressLine {
    private static final long REDRAW_NANOS = 200_000_000;

    /** The rate is that of the last five seconds. */
    private static final int SAMPLES = 25;

    private static final int BAR = 12;
    private static final int NAME = 20;

    private final Consumer<String> line;
    private final String name;
    private final long total;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private boolean drawn;

    private record Sample(long nanos, long done) {}

    /** @param line takes each state of the line, and "" in the end */
    ProgressLine(Consumer<String> line, String name, long total) {
        this.line = line;
        this.name = name.length() <= NAME ? name : name.substring(0, NAME - 2) + "..";
        this.total = total;
    }

    /** Draws the line anew, if a fifth of a second has passed since the last time. */
    void show(long done, long nowNanos, String remark) {
        Sample newest = samples.peekLast();
        if (newest != null && nowNanos - newest.nanos < REDRAW_NANOS) {
            return;
        }
        if (newest != null && done < newest.done) {
            samples.clear(); // begun anew further back
        }
        samples.addLast(new Sample(nowNanos, done));
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
        drawn = true;
        line.accept(text(done, remark));
    }

    private String text(long done, String remark) {
        double share = total == 0 ? 1 : (double) done / total;
        int full = (int) (BAR * share);
        StringBuilder text = new StringBuilder(name)
                .append(" [")
                .append("#".repeat(full))
                .append(".".repeat(BAR - full))
                .append("] ")
                .append((int) (100 * share))
                .append(" %  ")
                .append(Amounts.bytes(done));
        double perSecond = perSecond();
        if (remark.isEmpty() && perSecond > 0) {
            text.append("  ")
                    .append(Amounts.bytes(perSecond))
                    .append("/s  ")
                    .append(Amounts.time((long) Math.ceil((total - done) / perSecond)))
                    .append(" left");
        }
        return text + (remark.isEmpty() ? "" : "  " + remark);
    }

    private double perSecond() {
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        return last.nanos == first.nanos ? 0 : (last.done - first.done) / ((last.nanos - first.nanos) / 1e9);
    }

    /** Leaves nothing of it on the terminal. */
    void clear() {
        if (drawn) {
            line.accept("");
        }
    }
}
