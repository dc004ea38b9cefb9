package org.amo.replication.order;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
 * gets all entries from position 1. The first started member leads, and the next one if it ends or is cut off. Entries are
 * ordered and delivered while a majority of the members is started and not cut off.
 */
public final class InMemoryLogs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InMemoryLogs.class);

    private final int members;
    private final ExecutorService order = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-memory-log"));
    // Ordering thread only.
    private final List<byte[]> entries = new ArrayList<>();
    private final Map<String, MemberLog> started = new LinkedHashMap<>();
    private final Set<String> cutOff = new HashSet<>();
    private String leader = "";

    /** A group that needs one member. */
    public InMemoryLogs() {
        this(1);
    }

    /** @param members of the group, of which a majority is needed */
    public InMemoryLogs(int members) {
        this.members = members;
    }

    /** From now on the member has no way to the others, until {@link #reconnect}; also if it is started again. */
    public void cutOff(String id) {
        later(() -> {
            if (cutOff.add(id)) {
                Optional.ofNullable(started.get(id))
                        .ifPresent(member -> member.told().onLeader(""));
                reportLeader();
            }
        });
    }

    /** The member gets the entries that it has missed. */
    public void reconnect(String id) {
        later(() -> {
            MemberLog member = started.get(id);
            if (cutOff.remove(id) && member != null) {
                join(member);
            }
        });
    }

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

    /** A started member has a way to the others. */
    private void join(MemberLog member) {
        String before = leader;
        reportLeader();
        if (leader.equals(before) && !leader.isEmpty()) {
            member.catchUp();
            member.told().onLeader(leader);
        }
    }

    private List<MemberLog> connected() {
        return started.values().stream()
                .filter(member -> !cutOff.contains(member.id))
                .toList();
    }

    private boolean isInMajority(MemberLog member) {
        return started.get(member.id) == member && !cutOff.contains(member.id) && !leader.isEmpty();
    }

    private void reportLeader() {
        List<MemberLog> connected = connected();
        String next = "";
        if (2 * connected.size() > members) {
            boolean stays = connected.stream().anyMatch(member -> member.id.equals(leader));
            next = stays ? leader : connected.get(0).id;
        }
        if (!next.equals(leader)) {
            leader = next;
            for (MemberLog member : connected) {
                if (!next.isEmpty()) {
                    member.catchUp();
                }
                member.told().onLeader(next);
            }
        }
    }

    private final class MemberLog implements OrderedLog {
        private final String id;
        private volatile Optional<LogListener> listener = Optional.empty();
        private volatile boolean closed;

        /** Entries delivered here. */
        private int delivered;

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
                if (!cutOff.contains(id)) {
                    join(this);
                }
            });
        }

        @Override
        public void submit(long submission, byte[] entry) {
            byte[] copy = entry.clone();
            later(() -> {
                if (isInMajority(this)) {
                    entries.add(copy);
                    connected().forEach(MemberLog::catchUp);
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
                if (isInMajority(this)) {
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
                boolean way = !cutOff.contains(member) && !cutOff.contains(id);
                if (to != null && started.get(id) == this && way) {
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

        private void catchUp() {
            while (delivered < entries.size() && !closed) {
                byte[] entry = entries.get(delivered);
                delivered++;
                deliver(delivered, entry);
            }
        }

        private void deliver(long position, byte[] entry) {
            try {
                told().onDelivered(position, entry.clone());
            } catch (RuntimeException | Error e) {
                LOG.error("member {} stops: the entry at position {} could not be delivered", id, position, e);
                close();
            }
        }
    }
}
