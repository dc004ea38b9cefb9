package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.amo.base.DaemonThreads;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.replication.order.group.GroupChannel;
import org.amo.replication.order.raft.SnapshotFile.Head;
import org.amo.replication.order.raft.SnapshotFile.Stored;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the snapshots of one member on disk. With them it cuts the log, restores this member when it starts, and supplies
 * another member that lacks cut-off entries.
 *
 * <p>A snapshot is on disk before any entry that it stands for is forgotten, and never gives way to an older one. A
 * newer snapshot replaces the old one unread, since the old one may be damaged.
 */
final class RaftSnapshots {
    private static final Logger LOG = LoggerFactory.getLogger(RaftSnapshots.class);

    private static final byte[] NOTHING = {};

    /** Receives the events of snapshots. */
    interface Placed {
        /** In RAFT's thread, or in the one that starts it. Throws when this member cannot go on. */
        void onPlaced(Stored stored);

        /** In RAFT's thread. */
        void onFailure(Throwable thrown);

        /** A snapshot that this member asked for is on disk, in the place of its own: the next start goes on from it. */
        void onTaken(long position);

        /** That member asks for a snapshot of that position or a later one, and there is none here. */
        void onWanted(String member, long position);
    }

    private final String member;
    private final Path folder;
    private final SnapshotFile file;
    private final GuardedRaft raft;
    private final GroupChannel channel;
    private final Placed placed;
    private final RaftPositions positions = new RaftPositions();
    private final Optional<SnapshotDatagrams> datagrams;
    private final SnapshotTransfer transfer;
    private final LatestTasks worker;
    private final Object fileLock = new Object();

    /** The index of the snapshot that was put in place last; 0 if there is none. */
    private volatile long kept;

    /** The worker's: this member needs the state of another one from that position on. */
    private Optional<Long> wanted = Optional.empty();

    /** @param datagrams for pieces of snapshots; closed with this */
    RaftSnapshots(
            String member,
            Path folder,
            GuardedRaft raft,
            GroupChannel channel,
            Optional<SnapshotDatagrams> datagrams,
            Placed placed) {
        this.member = member;
        this.folder = folder;
        this.file = new SnapshotFile(folder);
        this.raft = raft;
        this.channel = channel;
        this.placed = placed;
        this.datagrams = datagrams;
        this.transfer = new SnapshotTransfer(file, System::nanoTime, datagrams.isPresent(), new Sending());
        this.worker = new LatestTasks(
                Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-snapshot-transfer-" + member)));
    }

    /** A position has been delivered. */
    void delivered(long position, Configuration configuration) {
        positions.delivered(position, raft.applying(), configuration, index -> raft.log()
                .get(index)
                .term());
    }

    /** Puts the snapshot on disk in place. @return its index, or 0 if there is none */
    long restore() {
        try {
            Optional<Stored> stored = file.read();
            stored.ifPresent(this::place);
            kept = stored.map(found -> found.head().index()).orElse(0L);
            return kept;
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot read the snapshot " + file.path() + ": " + e.getMessage(), e);
        }
    }

    /** Keeps a snapshot, then cuts the log. @return false if a newer one has come */
    boolean compact(LogSnapshot snapshot) {
        Head head;
        try {
            synchronized (fileLock) {
                head = positions.at(snapshot.position());
                if (kept >= head.index()) {
                    return false;
                }
                Files.createDirectories(folder);
                file.write(head, snapshot);
                kept = head.index();
            }
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot write a snapshot into " + folder + " (" + e + "); is the disk full?", e);
        }
        positions.forgetBefore(head.position());
        raft.run(() -> {
            try {
                raft.cut(head.index());
            } catch (RuntimeException e) {
                placed.onFailure(e);
            }
        });
        return true;
    }

    private OrderedLogException damaged(IOException e) {
        return new OrderedLogException(
                Fault.ENVIRONMENT,
                "the snapshot " + file.path() + " is damaged (" + e.getMessage()
                        + "); restart this member, which is then repaired from the others",
                e);
    }

    /** A connected member lacks entries that were cut off here. */
    void offer(String to) {
        worker.run("offer to", to, () -> transfer.offer(to));
    }

    void onOffer(String from, byte[] frame) {
        long delivered = raft.commitIndex();
        worker.run("offer", from, () -> {
            try {
                Files.createDirectories(folder);
                // If a state is wanted, the entries delivered here could not be executed: only the own snapshot counts.
                long have = wanted.isPresent() ? kept : delivered;
                transfer.onOffer(from, ByteBuffer.wrap(frame), have);
            } catch (IOException e) {
                LOG.error("member {} cannot take a snapshot", member, e);
            }
        });
    }

    /** Another member is asked for a snapshot of that position or a later one. */
    void want(String member, long position) {
        worker.run("want", member, () -> {
            wanted = Optional.of(position);
            boolean sent = channel.send(member, RaftLog.WANTED, NOTHING, RaftLog.eightBytes(position));
            LOG.debug("asked {} for the state of position {}: {}", member, position, sent);
        });
    }

    void onWanted(String from, byte[] frame) {
        if (frame.length != Long.BYTES) {
            return;
        }
        long position = ByteBuffer.wrap(frame).getLong();
        worker.run("wanted", from, () -> {
            try {
                if (file.claimedPosition().filter(have -> have >= position).isPresent()) {
                    transfer.offer(from);
                } else {
                    placed.onWanted(from, position);
                }
            } catch (IOException e) {
                placed.onFailure(damaged(e));
            }
        });
    }

    void onFetch(String from, byte[] frame) {
        worker.run("fetch", from, () -> transfer.onFetch(from, ByteBuffer.wrap(frame)));
    }

    void onPiece(String from, byte[] frame) {
        worker.run("piece", from, () -> transfer.onPiece(from, ByteBuffer.wrap(frame)));
    }

    /** Opens the socket for datagrams, if there is to be one. @throws OrderedLogException in one line when it cannot */
    void open() {
        datagrams.ifPresent(socket -> socket.open(this::onPiece));
    }

    void close() {
        worker.close();
        datagrams.ifPresent(SnapshotDatagrams::close);
    }

    private void install(Stored stored) {
        try {
            Head head = stored.head();
            boolean installed = raft.install(head.index(), head.term(), () -> {
                if (!accept(head.index())) {
                    throw new IllegalStateException("a snapshot of entries that were not delivered is there already");
                }
            });
            if (installed) {
                place(stored);
                raft.acknowledgeInstalled();
                LOG.info("member {} continues from a snapshot of position {}", member, head.position());
            }
        } catch (Exception | Error e) {
            placed.onFailure(e);
        } finally {
            worker.run("placed", member, transfer::placed);
        }
    }

    /** @return false if a newer one has come: the log may be cut behind that */
    private boolean accept(long index) {
        try {
            synchronized (fileLock) {
                if (kept >= index) {
                    return false;
                }
                file.acceptIncoming();
                kept = index;
                return true;
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot put a snapshot in place in " + folder, e);
        }
    }

    private void place(Stored stored) {
        positions.begin(stored.head());
        placed.onPlaced(stored);
    }

    /** In the worker. */
    private final class Sending implements SnapshotTransfer.Effects {
        @Override
        public void offer(String to, byte[] frame) {
            send(to, RaftLog.OFFER, frame);
        }

        @Override
        public void fetch(String from, byte[] frame) {
            send(from, RaftLog.FETCH, frame);
        }

        @Override
        public void piece(String to, byte[] frame, boolean byDatagram) {
            if (!byDatagram || datagrams.isEmpty() || !datagrams.get().send(to, frame)) {
                send(to, RaftLog.PIECE, frame);
            }
        }

        @Override
        public long usableBytes() {
            return file.usableBytes();
        }

        @Override
        public void unreadable(IOException why) {
            placed.onFailure(damaged(why));
        }

        @Override
        public boolean gathered(long index) {
            try {
                Stored stored = SnapshotFile.read(file.incoming());
                boolean asked = wanted.filter(
                                position -> position <= stored.head().position())
                        .isPresent();
                if (asked && stored.head().index() <= raft.commitIndex()) {
                    // As if this member had taken it itself: its own log goes on behind it.
                    if (accept(stored.head().index())) {
                        placed.onTaken(stored.head().position());
                    }
                    return false;
                }
                raft.run(() -> install(stored));
                return true;
            } catch (IOException e) {
                LOG.warn("a received snapshot was damaged ({}); it is requested again", e.getMessage());
                return false;
            }
        }

        private void send(String to, byte kind, byte[] frame) {
            boolean sent = channel.send(to, kind, NOTHING, frame);
            LOG.trace("snapshot frame {} to {}: {}", kind, to, sent);
        }
    }
}
