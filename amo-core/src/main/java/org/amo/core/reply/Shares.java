package org.amo.core.reply;

import java.util.Arrays;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;

/**
 * Which part of a budget each principal holds, and whether a request may take more (Choudhury and Hahne, "Dynamic queue
 * length thresholds for shared-memory packet switches", 1998). A principal may hold a multiple of the bytes that are free in
 * the budget, and a client a multiple of the bytes that its principal may still take. A greedy part therefore never takes
 * the last bytes of the whole, and a part alone still gets most of it.
 *
 * <p>A principal is here while a record of a client has it: 24 bytes and a place in an index of numbers.
 *
 * <p>Replicated state: equal at every member at equal positions. One thread owns it.
 */
public class Shares {
    private final RowIndex index;
    private long[] hashes = {};
    private long[] held = {};
    private int[] clients = {};
    private int end;
    private final FreePlaces free;
    private long totalBytes;

    /** @param hashSeed anything that principals cannot guess; the content does not depend on it */
    public Shares(long hashSeed) {
        free = new FreePlaces();
        index = new RowIndex(ids(), hashSeed);
    }

    /** A copy. */
    private Shares(Shares other) {
        hashes = other.hashes.clone();
        held = other.held.clone();
        clients = other.clients.clone();
        end = other.end;
        free = other.free.copy();
        totalBytes = other.totalBytes;
        index = other.index.copy(ids());
    }

    /** How a budget is divided; all of it is in the group's parameters. */
    public record Division(long budgetBytes, long clientShare, long principalShare) {}

    /** One more record of a client of this principal; its place here until {@link #leave}. */
    protected final int join(Principal principal) {
        int place = index.find(key(principal));
        if (place == RowIndex.NONE) {
            place = free.isEmpty() ? end++ : free.pop();
            if (place == hashes.length) {
                int length = place + 8 + place / 4;
                hashes = Arrays.copyOf(hashes, length);
                held = Arrays.copyOf(held, length);
                clients = Arrays.copyOf(clients, length);
            }
            hashes[place] = principal.hash();
            index.add(place);
        }
        clients[place]++;
        return place;
    }

    /** One record less. */
    protected final void leave(int place) {
        if (--clients[place] == 0) {
            index.remove(place);
            free.push(place);
            held[place] = 0;
        }
    }

    /** A record of this principal holds so many bytes more, or less. */
    public void charge(int place, long bytes) {
        held[place] += bytes;
        totalBytes += bytes;
    }

    /**
     * Whether a client may take more, and if not, for which budget.
     *
     * @param clientBytes held by the client now
     * @param more the bytes that it asks for
     */
    public Optional<Budget> shortage(Principal principal, long clientBytes, long more, Division division) {
        long left = division.budgetBytes - totalBytes;
        if (more > left) {
            return Optional.of(Budget.GROUP_BYTES);
        }
        long ofPrincipal = room(left, division.principalShare, bytes(principal));
        if (more > ofPrincipal) {
            return Optional.of(Budget.PRINCIPAL_BYTES);
        }
        return more > room(ofPrincipal, division.clientShare, clientBytes)
                ? Optional.of(Budget.CLIENT_BYTES)
                : Optional.empty();
    }

    /** The bytes that a part may still take if it may hold {@code share} times the bytes left: never negative. */
    public static long room(long left, long share, long held) {
        if (left <= 0) {
            return 0;
        }
        long most = left > Long.MAX_VALUE / share ? Long.MAX_VALUE : left * share;
        return Math.max(0, most - held);
    }

    /** Held by the clients of a principal. */
    public final long bytes(Principal principal) {
        int place = index.find(key(principal));
        return place == RowIndex.NONE ? 0 : held[place];
    }

    /** Records of the clients of a principal. */
    public final int clients(Principal principal) {
        int place = index.find(key(principal));
        return place == RowIndex.NONE ? 0 : clients[place];
    }

    /** Held by all. */
    public final long totalBytes() {
        return totalBytes;
    }

    final Principal principal(int place) {
        return new Principal(hashes[place]);
    }

    final Shares copy() {
        return new Shares(this);
    }

    private static ClientId key(Principal principal) {
        return new ClientId(principal.hash(), 0);
    }

    private RowIndex.Ids ids() {
        return new RowIndex.Ids() {
            @Override
            public long high(int place) {
                return hashes[place];
            }

            @Override
            public long low(int place) {
                return 0;
            }
        };
    }
}
