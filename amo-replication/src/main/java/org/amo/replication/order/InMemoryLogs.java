package org.amo.replication.order;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.amo.base.DaemonThreads;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the ordered logs of a group with all members in this process: one thread orders, delivers and
 * calls every listener. The group lives until {@link #close}; members come and go, and a member that starts
 * gets all entries from position 1. The first started member leads.
 */
public final class InMemoryLogs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InMemoryLogs.class);

    private final ExecutorService order = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-memory-log"));
    // Ordering thread only.
    private final List<byte[]> entries = new ArrayList<>();
    private final Map<String, MemberLog> started = new LinkedHashMap<>();
    private String leader = "";

    /** A log for one member, not started. Ids are the caller's to keep apart. */
    public OrderedLog member(String id) {
        return new MemberLog(id);
    }

    /** Ends the group; members hear nothing more. */
    @Override
    public void close() {
        order.shutdownNow();
    }

    private boolean later(Runnable task) {
        try {
            order.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.trace("the group is closed");
            return false;
        }
    }

    private void reportLeader() {
        String first = started.keySet().stream().findFirst().orElse("");
        if (!first.equals(leader)) {
            leader = first;
            started.values().forEach(member -> member.told().onLeader(first));
        }
    }

    private final class MemberLog implements OrderedLog {
        private final String id;
        private volatile Optional<LogListener> listener = Optional.empty();
        private volatile boolean closed;

        MemberLog(String id) {
            this.id = id;
        }

        @Override
        public Guarantee guarantee() {
            return Guarantee.UNIFORM;
        }

        @Override
        public void start(LogListener deliverTo) {
            listener = Optional.of(deliverTo);
            later(() -> {
                if (closed || started.putIfAbsent(id, this) != null) {
                    return;
                }
                for (int i = 0; i < entries.size(); i++) {
                    deliver(i + 1L, entries.get(i));
                }
                if (leader.isEmpty()) {
                    reportLeader();
                } else {
                    deliverTo.onLeader(leader);
                }
            });
        }

        @Override
        public void submit(long submission, byte[] entry) {
            byte[] copy = entry.clone();
            later(() -> {
                if (started.get(id) == this) {
                    entries.add(copy);
                    long position = entries.size();
                    List.copyOf(started.values()).forEach(member -> member.deliver(position, copy));
                } else if (!closed) {
                    told().onRejected(submission);
                }
            });
        }

        @Override
        public boolean findsReadIndexes() {
            return true;
        }

        @Override
        public void askReadIndex(long question) {
            later(() -> {
                if (started.get(id) == this) {
                    told().onReadIndex(question, entries.size());
                } else if (!closed) {
                    told().onNoReadIndex(question);
                }
            });
        }

        @Override
        public void send(String member, byte[] message) {
            byte[] copy = message.clone();
            later(() -> {
                MemberLog to = started.get(member);
                if (to != null && started.get(id) == this) {
                    to.told().onMessage(id, copy);
                }
            });
        }

        @Override
        public void close() {
            closed = true;
            later(() -> {
                if (started.remove(id, this)) {
                    reportLeader();
                }
            });
        }

        private LogListener told() {
            return listener.orElseThrow(() -> new IllegalStateException("member " + id + " was not started"));
        }

        private void deliver(long position, byte[] entry) {
            if (closed) {
                return;
            }
            try {
                told().onDelivered(position, entry.clone());
            } catch (RuntimeException | Error e) {
                LOG.error("member {} stops: the entry at position {} could not be delivered", id, position, e);
                close();
            }
        }
    }
}
