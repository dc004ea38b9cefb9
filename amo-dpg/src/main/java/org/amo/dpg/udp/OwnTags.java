package org.amo.dpg.udp;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.dpg.PduTag;

/**
 * Tags of this site's PDUs that no sequencer has numbered yet, and which sequencer to ask. One that has numbered nothing for so long
 * although it was asked is given up for the next one; the sequencer of the highest epoch is followed. One thread owns it. Bounded.
 */
final class OwnTags {
    private static final int MOST = 4_096;
    private static final int MOST_DOUBLINGS = 4;
    private static final long NEVER = Long.MAX_VALUE;
    /** A report that has no number by then is out of date. */
    private static final int REPORT_REPEATS = 6;

    private final int sequencers;
    private final long repeatMicros;
    private final long silenceMicros;
    private final long messageLifeMicros;

    private final Map<Long, Waiting> waiting = new LinkedHashMap<>();
    private long epoch;
    private int current;
    /** Since when the current sequencer has been asked and has numbered nothing; NEVER if it owes no answer. */
    private long askedSinceMicros = NEVER;

    private static final class Waiting {
        final PduTag tag;
        final long sinceMicros;
        final long lifeMicros;
        long nextMicros;
        int times;

        Waiting(PduTag tag, long nowMicros, long lifeMicros) {
            this.tag = tag;
            this.sinceMicros = nowMicros;
            this.lifeMicros = lifeMicros;
            this.nextMicros = nowMicros;
        }
    }

    /** @param messageLifeMicros how long a message's tag is sent: later the protocol gives it a place without a number */
    OwnTags(int sequencers, long repeatMicros, long silenceMicros, long messageLifeMicros) {
        this.sequencers = sequencers;
        this.repeatMicros = repeatMicros;
        this.silenceMicros = silenceMicros;
        this.messageLifeMicros = messageLifeMicros;
    }

    void add(PduTag tag, boolean isMessage, long nowMicros) {
        if (waiting.size() == MOST) {
            waiting.remove(waiting.keySet().iterator().next());
        }
        waiting.put(
                tag.nonce(),
                new Waiting(tag, nowMicros, isMessage ? messageLifeMicros : REPORT_REPEATS * repeatMicros));
    }

    /** Numbers came. Only those of the highest epoch count. */
    void onNumbered(long ofEpoch, List<PduTag> tags) {
        if (ofEpoch < epoch) {
            return;
        }
        if (ofEpoch > epoch) {
            epoch = ofEpoch;
            int index = SequencerNode.indexOf(ofEpoch);
            current = index < sequencers ? index : current;
        }
        askedSinceMicros = NEVER;
        tags.forEach(tag -> waiting.remove(tag.nonce()));
    }

    long heardEpoch() {
        return epoch;
    }

    /** Which sequencer to ask. */
    int current() {
        return current;
    }

    /** The tags to send to the current sequencer now. May turn to the next sequencer. */
    List<PduTag> due(long nowMicros) {
        if (!waiting.isEmpty() && askedSinceMicros != NEVER && nowMicros - askedSinceMicros >= silenceMicros) {
            current = (current + 1) % sequencers;
            askedSinceMicros = NEVER;
            waiting.values().forEach(each -> {
                each.nextMicros = nowMicros;
                each.times = 0;
            });
        }
        List<PduTag> due = new ArrayList<>();
        for (Iterator<Waiting> all = waiting.values().iterator(); all.hasNext(); ) {
            Waiting each = all.next();
            if (nowMicros - each.sinceMicros > each.lifeMicros) {
                all.remove();
            } else if (nowMicros >= each.nextMicros) {
                // With back-off: a slow sequencer must not drown in tags that it has already.
                each.nextMicros = nowMicros + (repeatMicros << Math.min(each.times, MOST_DOUBLINGS));
                each.times++;
                due.add(each.tag);
            }
        }
        if (!due.isEmpty() && askedSinceMicros == NEVER) {
            askedSinceMicros = nowMicros;
        }
        return due;
    }

    /** When {@link #due} must be asked at the latest. */
    long nextDeadline() {
        boolean owed = !waiting.isEmpty() && askedSinceMicros != NEVER;
        long next = owed ? askedSinceMicros + silenceMicros : Long.MAX_VALUE;
        for (Waiting each : waiting.values()) {
            next = Math.min(next, each.nextMicros);
        }
        return next;
    }

    int size() {
        return waiting.size();
    }
}
