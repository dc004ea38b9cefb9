package org.amo.dpg;

import java.util.ArrayList;
import java.util.List;

/** Writes down the effects of a site. */
final class RecordedEffects implements DpgEffects {
    final List<Message> messages = new ArrayList<>();
    final List<Report> reports = new ArrayList<>();
    /** Tags of the bodies that were delivered. */
    final List<Tag> delivered = new ArrayList<>();
    /** Segments, deliveries, dummies and undetermined messages, in words. */
    final List<String> seen = new ArrayList<>();

    @Override
    public void multicast(Message message) {
        messages.add(message);
    }

    @Override
    public void multicast(Report report) {
        reports.add(report);
    }

    @Override
    public void beginSegment(Tag after) {
        seen.add("begin " + after);
    }

    @Override
    public void deliver(Tag tag, byte[] body) {
        delivered.add(tag);
        seen.add(tag.toString());
    }

    @Override
    public void deliverDummy(Tag tag) {
        seen.add("dummy " + tag);
    }

    @Override
    public void undetermined(Message own) {
        seen.add("undetermined " + own.tag());
    }
}
