package org.amo.replication.order.group;

import org.amo.base.DaemonThreads;
import org.jgroups.util.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes daemon threads with names that begin with "amo-". JGroups' own factory makes daemons too, but some of its
 * users take that back for threads that are of class Thread itself.
 */
final class GroupThreads extends DefaultThreadFactory {
    private final String member;

    GroupThreads(String member) {
        super("order", true, true);
        this.member = member;
    }

    @Override
    protected Thread newThread(Runnable task, String name, @Nullable String address, @Nullable String cluster) {
        return DaemonThreads.unstarted("amo-" + member + "-" + name + "-" + counter.incrementAndGet(), task);
    }

    @Override
    public void renameThread(String name, Thread thread) {
        // Its name says enough.
    }
}
