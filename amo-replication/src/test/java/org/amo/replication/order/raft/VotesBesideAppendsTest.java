package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.replica.FaultHooks;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Votes come in other threads than entries: a candidate must not win by the end of a log that a leader takes for a longer one. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class VotesBesideAppendsTest {
    @TempDir
    private Path data = Path.of("unset");

    private final List<RaftLog> opened = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final Answers answers = new Answers();

    @AfterEach
    void close() {
        opened.forEach(RaftLog::close);
    }

    /**
     * A disk takes milliseconds for an entry, and meanwhile the member votes in a later term. Its leader would commit the entry with the
     * acknowledgement, and the candidate lead without the entry.
     */
    @Test
    void anEntryThatIsWrittenBesideAVoteInALaterTermIsNotAcknowledged() throws Exception {
        GuardedRaft raft = alone();
        Address leader = address("b");
        Address candidate = address("c");
        receive(raft, leader, 0, 0, 1, "first");
        assertEquals(List.of("of term 1 up to 1"), answers.seen);
        List<Optional<GuardedRaft.LogEnd>> votes = new ArrayList<>();
        before(raft, "append", () -> votes.add(raft.vote(candidate, 2)));

        receive(raft, leader, 1, 1, 2, "second");

        assertEquals(List.of(Optional.of(new GuardedRaft.LogEnd(1, 1))), votes);
        assertEquals(List.of("of term 1 up to 1", "of term 1 up to 1"), answers.seen);
        assertEquals(List.of("first"), recorder.entries(), "a later leader may replace the second one");
        assertEquals(Optional.empty(), Optional.ofNullable(raft.leader()), "the leader of term 2 is not known");
        receive(raft, leader, 1, 1, 2, "second");
        assertEquals(3, answers.seen.size());
        assertEquals("refused in term 2", answers.seen.get(2));
    }

    /** It would refuse the leader of the later term for a while. */
    @Test
    void theLeaderOfAMessageIsNotTakenForThatOfALaterTerm() throws Exception {
        GuardedRaft raft = alone();
        before(raft, "currentTerm", () -> raft.vote(address("c"), 2));
        receive(raft, address("b"), 0, 0, 1, "first");
        assertEquals(2, raft.currentTerm());
        assertEquals(Optional.empty(), Optional.ofNullable(raft.leader()));
        assertEquals(List.of("of term 2 up to 0"), answers.seen);
        assertEquals(List.of(), recorder.entries());
    }

    /** RAFT's thread has deleted it, and the one that replaces it is not there yet: its term is unknown. */
    @Test
    void aMemberWhoseLastEntryIsBeingReplacedDoesNotVote() throws Exception {
        GuardedRaft raft = alone();
        receive(raft, address("b"), 0, 0, 1, "first");
        Log disk = raft.log();
        raft.log((Log) Proxy.newProxyInstance(
                Log.class.getClassLoader(),
                new Class<?>[] {Log.class},
                (proxy, method, arguments) -> method.getName().equals("get") ? null : method.invoke(disk, arguments)));
        assertEquals(Optional.empty(), raft.vote(address("c"), 2));
        raft.log(disk);
        assertEquals(Optional.of(new GuardedRaft.LogEnd(1, 1)), raft.vote(address("d"), 2), "it has no other vote");
    }

    /** A vote in another thread tells the end of the log. */
    @Test
    void theEndOfALogInMemoryIsRightWhileItIsCut() throws InterruptedException {
        MemoryLog log = new MemoryLog();
        AtomicLong end = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        List<String> wrong = new CopyOnWriteArrayList<>();
        Thread reader = new Thread(
                () -> {
                    while (!over.get()) {
                        long least = end.get();
                        long seen = log.lastAppended();
                        if (seen < least) {
                            wrong.add(seen + " instead of " + least);
                            over.set(true);
                        }
                    }
                },
                "votes");
        reader.start();
        for (int i = 0; i < 200_000 && !over.get(); i++) {
            long last = log.append(log.lastAppended() + 1, new LogEntries().add(new LogEntry(1, new byte[1])));
            end.set(last);
            log.commitIndex(last);
            log.truncate(last);
        }
        over.set(true);
        reader.join();
        assertEquals(List.of(), wrong);
    }

    private GuardedRaft alone() throws Exception {
        RaftLog log = new RaftLog(Groups.onDisk("a", FreePorts.members(3), data), FaultHooks.NONE);
        opened.add(log);
        log.start(recorder);
        log.raft().getProtocolStack().insertProtocol(answers, ProtocolStack.Position.BELOW, RAFT.class);
        return log.raft();
    }

    /** Something happens once, when the log is about to be changed so. */
    private static void before(GuardedRaft raft, String change, Runnable happens) {
        Log disk = raft.log();
        AtomicBoolean over = new AtomicBoolean();
        raft.log((Log) Proxy.newProxyInstance(
                Log.class.getClassLoader(), new Class<?>[] {Log.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(change) && arguments != null && !over.getAndSet(true)) {
                        happens.run();
                    }
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Of the leader of term 1. */
    private static void receive(
            GuardedRaft raft, Address leader, long previous, long previousTerm, long commit, String text) {
        LogEntries entries = new LogEntries().add(new LogEntry(1, EntryFrame.wrap(text.getBytes(UTF_8))));
        Message message = new ObjectMessage(raft.getAddress(), entries)
                .setSrc(leader)
                .putHeader(raft.getId(), new AppendEntriesRequest(leader, 1, previous, previousTerm, 1, commit));
        raft.handleUpRequest(message, message.getHeader(raft.getId()));
        raft.deliverKnown(); // what follows the answer
    }

    private static Address address(String id) {
        return ExtendedUUID.randomUUID(id).put(RAFT.raft_id_key, id.getBytes(UTF_8));
    }

    /** The member's answers to the leader, which go nowhere. */
    private static final class Answers extends Protocol {
        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public Object down(Message message) {
            if (message.getHeader(((RAFT) up_prot).getId()) instanceof AppendEntriesResponse answer) {
                String text = answer.toString();
                String result = text.substring(text.indexOf("result: ") + "result: ".length());
                seen.add(
                        result.startsWith("true")
                                ? "of term " + answer.currTerm() + " up to "
                                        + result.substring(
                                                result.indexOf("index=") + "index=".length(),
                                                result.indexOf(", commit-index"))
                                : "refused in term " + answer.currTerm());
                return null;
            }
            return down_prot.down(message);
        }
    }
}
