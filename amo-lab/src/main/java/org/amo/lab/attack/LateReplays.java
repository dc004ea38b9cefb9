package org.amo.lab.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;

/**
 * Judges the answers to calls that are older than the group's retention. A member that has forgotten a call refuses it by the bound,
 * and one that is late and has not by its record; both say STALE. One thread.
 */
final class LateReplays {
    private final int recorded;
    private int stale;
    private int turnedAway;
    private final Map<String, Integer> others = new TreeMap<>();

    /** @param recorded calls that are to be replayed, each once */
    LateReplays(int recorded) {
        this.recorded = recorded;
    }

    /** A member answered one. */
    void answered(Giop.Reply reply) {
        if (reply.isResult()) {
            others.merge("a result", 1, Integer::sum);
        } else if (reply.answer().isEmpty()) {
            turnedAway++; // by the member's ORB, before a replica saw it
        } else {
            answered(reply.answer().get());
        }
    }

    private void answered(Answer answer) {
        String kind = answer.refusal().map(Refusal::name).orElse(answer.kind().name());
        if (kind.equals(Refusal.STALE.name())) {
            stale++;
        } else {
            others.merge(kind, 1, Integer::sum);
        }
    }

    String summary() {
        return stale + " of " + recorded + " calls older than the retention were refused as stale, " + turnedAway
                + " turned away";
    }

    /**
     * Answers that must not have come.
     *
     * @param whole whether there was time for all of them
     */
    List<String> faults(boolean whole) {
        List<String> faults = new ArrayList<>();
        others.forEach((kind, times) -> faults.add(
                times + " calls older than the retention were answered with " + kind + ", not refused as stale"));
        if (whole && 2 * stale < recorded) {
            faults.add("less than half of the calls older than the retention were refused as stale");
        }
        return faults;
    }
}
