package org.amo.core.replica;

import java.util.Map;
import java.util.TreeMap;
import org.amo.core.request.Principal;

/**
 * The parameters of a group. Replicated state: the group's first entry sets them, and every decision
 * asks these and nothing local.
 *
 * @param retentionMillis ρ: a timestamp older than this is refused, so its id may be forgotten. Default 5 minutes
 * @param skewMillis how far a client's estimate of the group's time may be ahead. Default 2 s
 * @param lifeMillis L: no live entry is kept longer after its acceptance. Default 10 minutes
 * @param defaultDeadlineMillis of calls that name none. Default 60 s
 * @param budgetBytes request bytes and reply allowances of all live entries of own clients together. Default 256 MB
 * @param foreignBudgetBytes the same for clients that never acknowledge. Default 64 MB
 * @param replyAllowanceBytes the charge of a live entry for its reply, of any size. Default 512
 * @param maxClients records of own and foreign clients together. Default 1,500,000, of which one principal may
 *     have a million
 * @param maxEntriesPerClient live entries of one client. Default 100,000
 * @param maxRangesPerClient resolved ranges above the floor of one client. Default 20,000
 * @param clientShare a client may hold this many times the bytes that its principal may still take. Default 2
 * @param principalShare a principal may hold this many times the bytes that are free in a budget, and have this many
 *     times as many clients as may still come. Default 2: alone, two thirds of all
 * @param clientCallsPerSecond accepted calls of one client, by the group's time; 0 for no limit, the default
 * @param principalCallsPerSecond the same for all clients of one principal
 * @param weights of principals: multiplies {@code principalShare} and the calls a second; 1 for all others
 */
public record GroupParameters(
        long retentionMillis,
        long skewMillis,
        long lifeMillis,
        long defaultDeadlineMillis,
        long budgetBytes,
        long foreignBudgetBytes,
        int replyAllowanceBytes,
        int maxClients,
        int maxEntriesPerClient,
        int maxRangesPerClient,
        int clientShare,
        int principalShare,
        int clientCallsPerSecond,
        int principalCallsPerSecond,
        Map<Principal, Integer> weights) {

    /** The largest share or weight. */
    public static final int MOST_SHARE = 1_000_000;

    /** Of principals that have one. */
    public static final int MOST_WEIGHTS = 1_000;

    /** How far times of entries that are live together may be apart: they are kept as ints. */
    private static final long MOST_MILLIS = 24L * 24 * 3_600_000;

    public GroupParameters {
        if (skewMillis < 1 || lifeMillis < 1 || defaultDeadlineMillis < 1) {
            throw new IllegalArgumentException("skew, life and deadline must be at least 1 ms: skew=" + skewMillis
                    + " life=" + lifeMillis + " deadline=" + defaultDeadlineMillis);
        }
        if (retentionMillis < 2 * defaultDeadlineMillis) {
            throw new IllegalArgumentException("retention must be at least twice the default deadline: retention="
                    + retentionMillis + " deadline=" + defaultDeadlineMillis);
        }
        if (lifeMillis < defaultDeadlineMillis) {
            throw new IllegalArgumentException("life must be at least the default deadline: life=" + lifeMillis
                    + " deadline=" + defaultDeadlineMillis);
        }
        if (Math.max(retentionMillis, Math.max(skewMillis, lifeMillis)) > MOST_MILLIS
                || retentionMillis + skewMillis + 2 * lifeMillis > MOST_MILLIS) {
            throw new IllegalArgumentException(
                    "retention, skew and twice the life are 24 days at most together: retention=" + retentionMillis
                            + " skew=" + skewMillis + " life=" + lifeMillis);
        }
        if (budgetBytes < 1
                || foreignBudgetBytes < 1
                || replyAllowanceBytes < 0
                || maxClients < 1
                || maxEntriesPerClient < 1
                || maxRangesPerClient < 1) {
            throw new IllegalArgumentException("budgets must be positive: bytes=" + budgetBytes + " foreignBytes="
                    + foreignBudgetBytes + " allowance=" + replyAllowanceBytes + " clients=" + maxClients + " entries="
                    + maxEntriesPerClient + " ranges=" + maxRangesPerClient);
        }
        if (clientShare < 1 || clientShare > MOST_SHARE || principalShare < 1 || principalShare > MOST_SHARE) {
            throw new IllegalArgumentException(
                    "shares are 1 to " + MOST_SHARE + ": client=" + clientShare + " principal=" + principalShare);
        }
        if (clientCallsPerSecond < 0 || principalCallsPerSecond < 0) {
            throw new IllegalArgumentException("calls a second must not be negative; 0 is no limit: client="
                    + clientCallsPerSecond + " principal=" + principalCallsPerSecond);
        }
        weights = Map.copyOf(weights);
        if (weights.size() > MOST_WEIGHTS
                || weights.values().stream().anyMatch(weight -> weight < 1 || weight > MOST_SHARE)) {
            throw new IllegalArgumentException(
                    "at most " + MOST_WEIGHTS + " principals have a weight of 1 to " + MOST_SHARE + ": " + weights);
        }
    }

    /** Of a principal: 1 unless it was given another. */
    public int weight(Principal principal) {
        return weights.getOrDefault(principal, 1);
    }

    /**
     * As far as a member has room for so many bytes of records. An entry of its own client takes less than its charge, unless the client has
     * no other; then it takes half as much again. A foreign client's only entry takes about its charge. Both with their copies in a snapshot.
     *
     * @param clientBytes of a client without an entry
     */
    GroupParameters within(long mostBytes, int clientBytes) {
        return new GroupParameters(
                retentionMillis,
                skewMillis,
                lifeMillis,
                defaultDeadlineMillis,
                Math.min(budgetBytes, Math.max(1, mostBytes)),
                Math.min(foreignBudgetBytes, Math.max(1, mostBytes / 2)),
                replyAllowanceBytes,
                (int) Math.min(maxClients, clientBytes == 0 ? maxClients : Math.max(1, mostBytes / clientBytes)),
                maxEntriesPerClient,
                maxRangesPerClient,
                clientShare,
                principalShare,
                clientCallsPerSecond,
                principalCallsPerSecond,
                weights);
    }

    public static Builder builder() {
        return new Builder();
    }

    public static GroupParameters defaults() {
        return builder().build();
    }

    /** Collects the parameters; {@link #build} checks them. */
    public static final class Builder {
        private long retentionMillis = 300_000;
        private long skewMillis = 2_000;
        private long lifeMillis = 600_000;
        private long defaultDeadlineMillis = 60_000;
        private long budgetBytes = 256L << 20;
        private long foreignBudgetBytes = 64L << 20;
        private int replyAllowanceBytes = 512;
        private int maxClients = 1_500_000;
        private int maxEntriesPerClient = 100_000;
        private int maxRangesPerClient = 20_000;
        private int clientShare = 2;
        private int principalShare = 2;
        private int clientCallsPerSecond;
        private int principalCallsPerSecond;
        private final Map<Principal, Integer> weights = new TreeMap<>();

        private Builder() {}

        public Builder retentionMillis(long value) {
            retentionMillis = value;
            return this;
        }

        public Builder skewMillis(long value) {
            skewMillis = value;
            return this;
        }

        public Builder lifeMillis(long value) {
            lifeMillis = value;
            return this;
        }

        public Builder defaultDeadlineMillis(long value) {
            defaultDeadlineMillis = value;
            return this;
        }

        public Builder budgetBytes(long value) {
            budgetBytes = value;
            return this;
        }

        public Builder foreignBudgetBytes(long value) {
            foreignBudgetBytes = value;
            return this;
        }

        public Builder replyAllowanceBytes(int value) {
            replyAllowanceBytes = value;
            return this;
        }

        public Builder maxClients(int value) {
            maxClients = value;
            return this;
        }

        public Builder maxEntriesPerClient(int value) {
            maxEntriesPerClient = value;
            return this;
        }

        public Builder maxRangesPerClient(int value) {
            maxRangesPerClient = value;
            return this;
        }

        public Builder clientShare(int value) {
            clientShare = value;
            return this;
        }

        public Builder principalShare(int value) {
            principalShare = value;
            return this;
        }

        public Builder clientCallsPerSecond(int value) {
            clientCallsPerSecond = value;
            return this;
        }

        public Builder principalCallsPerSecond(int value) {
            principalCallsPerSecond = value;
            return this;
        }

        /** @param value how many times an ordinary principal's share this one gets */
        public Builder weight(Principal principal, int value) {
            weights.put(principal, value);
            return this;
        }

        /** @throws IllegalArgumentException when the values do not fit together, naming them */
        public GroupParameters build() {
            return new GroupParameters(
                    retentionMillis,
                    skewMillis,
                    lifeMillis,
                    defaultDeadlineMillis,
                    budgetBytes,
                    foreignBudgetBytes,
                    replyAllowanceBytes,
                    maxClients,
                    maxEntriesPerClient,
                    maxRangesPerClient,
                    clientShare,
                    principalShare,
                    clientCallsPerSecond,
                    principalCallsPerSecond,
                    weights);
        }
    }
}
