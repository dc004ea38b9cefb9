package org.amo.core.client;

import java.util.ArrayList;
import java.util.List;

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

    /** The way to one member. */
    private static final class Way {
        State state = State.DOWN;
        boolean draining;
        boolean silent;

        /** The group has the member no more, so that it serves only if no other is to be had. */
        boolean removed;

        boolean isGood() {
            return !draining && !silent && !removed;
        }
    }

    private final List<Way> ways = new ArrayList<>();

    private int serving;
    private int hinted = -1;
    private int failures;
    private long connectAtMillis;
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    MemberChoice(int count, int first) {
        while (ways.size() < count) {
            ways.add(new Way());
        }
        serving = first;
    }

    int serving() {
        return serving;
    }

    boolean isUp(int member) {
        return ways.get(member).state == State.UP;
    }

    /** Before this time no connection is to be opened. */
    long connectAtMillis() {
        return connectAtMillis;
    }

    /** Returns whether a connection to it is to be opened now. */
    boolean connect(int member) {
        Way way = ways.get(member);
        if (way.state != State.DOWN) {
            return false;
        }
        way.state = State.CONNECTING;
        return true;
    }

    void connected(int member, long nowMillis) {
        pauseMillis = FIRST_PAUSE_MILLIS;
        connectAtMillis = nowMillis;
        Way way = ways.get(member);
        way.state = State.UP;
        way.silent = false;
        way.draining = false;
        failures = 0;
        if (member == hinted) {
            serving = member;
        }
    }

    /** The connection is gone, or was not to be had. */
    void lost(int member, long nowMillis) {
        boolean wasUp = isUp(member);
        Way way = ways.get(member);
        way.state = State.DOWN;
        way.draining = false;
        if (hinted == member) {
            hinted = -1;
        }
        leave(member);
        if (serving == member) {
            // No other is known to be any better, but this one is worse.
            serving = (member + 1) % ways.size();
        }
        failures++;
        if (!wasUp && failures % ways.size() == 0) {
            connectAtMillis = nowMillis + pauseMillis;
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
            // A client may reach members under other names than those that they tell, which then look removed.
            ways.forEach(each -> each.removed = false);
        }
    }

    void heard(int member) {
        ways.get(member).silent = false;
    }

    void silent(int member) {
        ways.get(member).silent = true;
        leave(member);
    }

    void drain(int member) {
        ways.get(member).draining = true;
        leave(member);
    }

    /** It is hinted to lead. Returns whether a connection to it is to be opened now; it serves once that is there. */
    boolean prefer(int member) {
        Way way = ways.get(member);
        if (way.draining || way.silent) {
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
        for (int step = 1; step < ways.size(); step++) {
            int next = (member + step) % ways.size();
            if (ways.get(next).isGood()) {
                serving = next;
                return;
            }
        }
    }

    /** The group has another member. Returns its number: that of a removed member without a connection, or the next one. */
    int add() {
        for (int member = 0; member < ways.size(); member++) {
            if (ways.get(member).removed && ways.get(member).state == State.DOWN) {
                ways.set(member, new Way());
                return member;
            }
        }
        ways.add(new Way());
        return ways.size() - 1;
    }

    /** The group has removed it. A connection that is there is used until it ends, since the member ends it. */
    void remove(int member) {
        Way way = ways.get(member);
        way.removed = true;
        if (way.state != State.UP) {
            leave(member);
        }
    }
}
