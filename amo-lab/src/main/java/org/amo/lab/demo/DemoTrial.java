package org.amo.lab.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Function;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;
import org.amo.core.order.Member;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Status;
import org.amo.observe.Trial;

/**
 * The demo as its page shows it. The page's threads ask and wish; the thread of the run takes the wish and tells the events. Any thread.
 */
final class DemoTrial implements Trial {
    private static final String ID = "demo";
    private static final int MOST_EVENTS = 8;

    private final List<Member> members;
    private final boolean comeBack;
    private final Function<List<String>, Verdict> soFar;

    /** One wish at most. */
    private final BlockingQueue<String> wish = new ArrayBlockingQueue<>(1);

    /** Guarded by itself. */
    private final Deque<String> events = new ArrayDeque<>();

    /** The member that is down or has not caught up; empty if all members serve. */
    private volatile Optional<String> away = Optional.empty();

    /**
     * @param comeBack whether a killed member can be started again
     * @param soFar the verdict so far, with the latest events
     */
    DemoTrial(List<Member> members, boolean comeBack, Function<List<String>, Verdict> soFar) {
        this.members = List.copyOf(members);
        this.comeBack = comeBack;
        this.soFar = soFar;
    }

    // ---- from the run

    /** The member to kill now; then it is {@link #away}. */
    Optional<String> takeWish() {
        return Optional.ofNullable(wish.poll());
    }

    void away(Optional<String> member) {
        away = member;
    }

    void tell(String event) {
        synchronized (events) {
            events.add(event);
            if (events.size() > MOST_EVENTS) {
                events.remove();
            }
        }
    }

    // ---- from the page

    @Override
    public String kind() {
        return ID;
    }

    @Override
    public String group() {
        return ProcessGroup.GROUP;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public List<Reading> readings() {
        return List.of();
    }

    @Override
    public String statusJson() {
        return "{\"id\":\"" + ID + "\"}";
    }

    @Override
    public Readiness readiness() {
        return Readiness.READY;
    }

    @Override
    public Map<String, Optional<String>> statuses() {
        Map<String, Optional<String>> statuses = new LinkedHashMap<>();
        for (Member member : members) {
            statuses.put(
                    member.id(), Status.ask(member).map(status -> status.json().toString()));
        }
        return statuses;
    }

    @Override
    public Verdict verdict() {
        List<String> latest;
        synchronized (events) {
            latest = List.copyOf(events);
        }
        return soFar.apply(latest);
    }

    @Override
    public Optional<String> kill(String member) {
        if (members.stream().noneMatch(each -> each.id().equals(member))) {
            return Optional.of("there is no member '" + member + "'");
        }
        if (!comeBack) {
            return Optional.of(
                    "--log memory loses its log with the process, so a killed member cannot come back; start the"
                            + " demo with --log fsync");
        }
        Optional<String> before = away;
        if (before.isPresent() || !wish.offer(member)) {
            return Optional.of(
                    before.orElse("a member") + " has not come back yet, and without two members the group may"
                            + " stand still; wait until all serve");
        }
        return Optional.empty();
    }
}
