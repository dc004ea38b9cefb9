package org.amo.core.client;

import java.util.Arrays;

/**
 * Chooses the member that serves a {@link GroupClient}, by the known state of each connection. When all members failed one
 * after another, the next connection waits. One thread owns it.
 */
final class MemberChoice {
    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long MAX_PAUSE_MILLIS = 200;

    private enum State {
        DOWN,
        CONNECTING,
        UP
    }

    private final State[] states;
    private final boolean[] draining;
    private final boolean[] silent;

    private int serving;
    private int hinted = -1;
    private int failures;
    private long connectAtMillis;
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    MemberChoice(int count, int first) {
        states = new State[count];
        Arrays.fill(states, State.DOWN);
        draining = new boolean[count];
        silent = new boolean[count];
        serving = first;
    }

    int serving() {
        return serving;
    }

    boolean isUp(int member) {
        return states[member] == State.UP;
    }

    /** Before this time no connection is to be opened. */
    long connectAtMillis() {
        return connectAtMillis;
    }

    /** Returns whether a connection to it is to be opened now. */
    boolean connect(int member) {
        if (states[member] != State.DOWN) {
            return false;
        }
        states[member] = State.CONNECTING;
        return true;
    }

    void connected(int member, long nowMillis) {
        pauseMillis = FIRST_PAUSE_MILLIS;
        connectAtMillis = nowMillis;
        states[member] = State.UP;
        silent[member] = false;
        draining[member] = false;
        failures = 0;
        if (member == hinted) {
            serving = member;
        }
    }

    /** The connection is gone, or was not to be had. */
    void lost(int member, long nowMillis) {
        boolean wasUp = isUp(member);
        states[member] = State.DOWN;
        draining[member] = false;
        if (hinted == member) {
            hinted = -1;
        }
        leave(member);
        if (serving == member) {
            // No other is known to be any better, but this one is worse.
            serving = (member + 1) % states.length;
        }
        failures++;
        if (!wasUp && failures % states.length == 0) {
            connectAtMillis = nowMillis + pauseMillis;
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        }
    }

    void heard(int member) {
        silent[member] = false;
    }

    void silent(int member) {
        silent[member] = true;
        leave(member);
    }

    void drain(int member) {
        draining[member] = true;
        leave(member);
    }

    /** It is hinted to lead. Returns whether a connection to it is to be opened now; it serves once that is there. */
    boolean prefer(int member) {
        if (draining[member] || silent[member]) {
            return false;
        }
        hinted = member;
        if (isUp(member)) {
            serving = member;
            return false;
        }
        return connect(member);
    }

    /** It failed us: the next one of which nothing bad is known serves, if there is one, unless another does already. */
    void leave(int member) {
        if (serving != member) {
            return;
        }
        for (int step = 1; step < states.length; step++) {
            int next = (member + step) % states.length;
            if (!draining[next] && !silent[next]) {
                serving = next;
                return;
            }
        }
    }
}
