package org.amo.scmp;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The settings of a receiver.
 *
 * @param retentionMicros ρ of each class, class 0 first; a connection of a class beyond them counts as class 0
 * @param betaMicros β: how far {@code latest} is written ahead. Default 10 s
 * @param storeIntervalMicros how often it is written. Default 2 s
 * @param skewMicros ε: of clocks that are in order. Default 2 s
 * @param maxConnections entries; more are refused, never evicted. Default 1,000,000
 * @param collectAbove entries above which old ones are collected, since a table with room need not forget (section 3.1).
 *     Default three quarters of {@code maxConnections}
 * @param hashSeed secret to the process, so that an attacker cannot choose ids that collide. Default 0
 */
public record ScmpOptions(
        List<Long> retentionMicros,
        long betaMicros,
        long storeIntervalMicros,
        long skewMicros,
        int maxConnections,
        int collectAbove,
        long hashSeed) {
    /** The number of classes that the bits of a uid can name. */
    public static final int MAX_CLASSES = 16;

    public ScmpOptions {
        retentionMicros = List.copyOf(retentionMicros);
        if (retentionMicros.isEmpty() || retentionMicros.size() > MAX_CLASSES) {
            throw new IllegalArgumentException(
                    "between 1 and " + MAX_CLASSES + " retention classes, not " + retentionMicros.size());
        }
        if (skewMicros < 0 || storeIntervalMicros < 1) {
            throw new IllegalArgumentException("skew must not be negative and storeInterval positive: skew="
                    + skewMicros + " us storeInterval=" + storeIntervalMicros + " us");
        }
        for (long retention : retentionMicros) {
            if (retention <= skewMicros) {
                throw new IllegalArgumentException(
                        "retention must exceed skew: retention=" + retention + " us skew=" + skewMicros + " us");
            }
        }
        if (betaMicros <= storeIntervalMicros + skewMicros) {
            throw new IllegalArgumentException("beta must exceed storeInterval + skew, or messages in time are refused"
                    + " as too early: beta=" + betaMicros + " us storeInterval=" + storeIntervalMicros + " us skew="
                    + skewMicros + " us");
        }
        if (maxConnections < 1 || collectAbove < 0 || collectAbove > maxConnections) {
            throw new IllegalArgumentException("maxConnections must be positive and collectAbove at most that:"
                    + " maxConnections=" + maxConnections + " collectAbove=" + collectAbove);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    public static ScmpOptions defaults() {
        return builder().build();
    }

    /** A builder that begins with these options, and with their classes: {@code retention} adds another. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.retentionMicros.addAll(retentionMicros);
        builder.beta = duration(betaMicros);
        builder.storeInterval = duration(storeIntervalMicros);
        builder.skew = duration(skewMicros);
        builder.maxConnections = maxConnections;
        builder.collectAbove = collectAbove;
        builder.hashSeed = hashSeed;
        return builder;
    }

    private static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /** The class that gives a connection its ρ and {@code upper}. */
    public int classOf(int uid) {
        int named = uid >>> 28;
        return named < retentionMicros.size() ? named : 0;
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private final List<Long> retentionMicros = new ArrayList<>();
        private Duration beta = Duration.ofSeconds(10);
        private Duration storeInterval = Duration.ofSeconds(2);
        private Duration skew = Duration.ofSeconds(2);
        private int maxConnections = 1_000_000;
        private int collectAbove = -1;
        private long hashSeed;

        private Builder() {}

        /** ρ of the next class; the first call is for class 0. Five minutes if never called, as in the paper. */
        public Builder retention(Duration value) {
            retentionMicros.add(micros(value));
            return this;
        }

        public Builder beta(Duration value) {
            beta = value;
            return this;
        }

        public Builder storeInterval(Duration value) {
            storeInterval = value;
            return this;
        }

        public Builder skew(Duration value) {
            skew = value;
            return this;
        }

        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        public Builder collectAbove(int value) {
            collectAbove = value;
            return this;
        }

        public Builder hashSeed(long value) {
            hashSeed = value;
            return this;
        }

        /** @throws IllegalArgumentException when the values do not fit together, naming them */
        public ScmpOptions build() {
            return new ScmpOptions(
                    retentionMicros.isEmpty() ? List.of(TimeUnit.MINUTES.toMicros(5)) : retentionMicros,
                    micros(beta),
                    micros(storeInterval),
                    micros(skew),
                    maxConnections,
                    collectAbove < 0 ? maxConnections / 4 * 3 : collectAbove,
                    hashSeed);
        }

        private static long micros(Duration value) {
            return TimeUnit.MICROSECONDS.convert(value);
        }
    }
}
