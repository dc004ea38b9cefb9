package org.amo.lab.attack;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.Wait;
import org.amo.lab.cluster.WorkFolder;

/**
 * The members of a group under attack. While this waits, it starts members again that have ended, as a supervisor does. One thread
 * uses it; a signal may end it at any time.
 */
final class AttackedMembers implements AutoCloseable {
    /** As a supervisor's pause between two lives of a process: that of docs/how-to/run-under-a-supervisor.md. */
    private static final long RESTART_NANOS = 200_000_000L;

    /**
     * Members run as their users run them. The first compiler alone makes AES-GCM some twenty times slower, so that a
     * large reply holds a processor for 25 ms. It follows the shorter setting of the command's other members, and the last
     * one counts.
     */
    private static final String BOTH_COMPILERS = "-XX:TieredStopAtLevel=4";

    private final Service service;
    private final Consumer<String> progress;
    private final WorkFolder folder;
    private final Processes processes;
    private final ProcessGroup group;
    private final HeapWatch heap;
    private final LogWatch logs;
    private final Map<ReplicaProcess, Long> endedNanos = new HashMap<>();

    private List<End> ends = new ArrayList<>();
    private int restarts;
    private boolean keepsFolder;

    /**
     * The end of a process.
     *
     * @param words the member and the last output of its process
     */
    record End(long pid, String words) {}

    /**
     * Starts nothing yet.
     *
     * @param name of the folder
     * @param options of each member's virtual machine, beside those that all have
     */
    AttackedMembers(
            String name,
            Service service,
            List<String> options,
            long heapBytes,
            Function<MemberProgram.Of, MemberProgram> members,
            Consumer<String> progress) {
        this.service = service;
        this.progress = progress;
        this.folder = WorkFolder.create(name);
        this.processes = new Processes(folder);
        this.heap = new HeapWatch(folder.path(), heapBytes);
        this.logs = new LogWatch(folder.path());
        ProcessGroup.Place here = ProcessGroup.Place.here(folder.file("data"));
        this.group = new ProcessGroup(
                members,
                new ProcessGroup.Settings(Order.RAFT, Log.FSYNC, false, Style.ACTIVE),
                Collections.nCopies(
                        service.members(),
                        new ProcessGroup.Place(
                                here.host(),
                                here.prefix(),
                                here.data(),
                                allOptions(heapBytes, options),
                                here.classes())),
                0,
                folder,
                processes);
    }

    private List<String> allOptions(long heapBytes, List<String> more) {
        List<String> options = new ArrayList<>(heap.options(heapBytes));
        options.add(BOTH_COMPILERS);
        // wrap server sets them; a Java service has them by docs/how-to/run-under-a-supervisor.md.
        options.addAll(ServerWrap.LATE_COMPILER);
        options.addAll(service.options(
                folder,
                IntStream.range(0, service.members())
                        .mapToObj(ProcessGroup::name)
                        .toList()));
        options.addAll(more);
        return options;
    }

    Service service() {
        return service;
    }

    ProcessGroup group() {
        return group;
    }

    List<Member> members() {
        return group.members().stream().map(ReplicaProcess::member).toList();
    }

    WorkFolder folder() {
        return folder;
    }

    Processes processes() {
        return processes;
    }

    HeapWatch heap() {
        return heap;
    }

    LogWatch logs() {
        return logs;
    }

    Spent spent() {
        return Spent.of(group.members().stream()
                .flatMap(replica -> replica.process().stream())
                .mapToLong(Child::pid));
    }

    /** Waits for so long. */
    void supervise(long millis) {
        superviseUntil(millis, () -> false);
    }

    /** Waits for the condition. @return whether it came true in time */
    boolean superviseUntil(long millis, BooleanSupplier condition) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            group.members().forEach(this::lookAfter);
            Wait.aTick();
        }
        return true;
    }

    private void lookAfter(ReplicaProcess replica) {
        Optional<Child> dead = replica.process().filter(child -> !child.isAlive());
        if (dead.isPresent()) {
            ends.add(new End(dead.get().pid(), "member " + replica.id() + " ended: " + replica.lastWords()));
            endedNanos.put(replica, System.nanoTime());
            replica.ended();
        }
        Long ended = endedNanos.get(replica);
        if (ended != null && System.nanoTime() - ended > RESTART_NANOS) {
            endedNanos.remove(replica);
            restarts++;
            group.start(replica);
        }
    }

    /** Processes that have ended since this was asked for the last time. */
    List<End> takeEnds() {
        List<End> taken = ends;
        ends = new ArrayList<>();
        return taken;
    }

    /** Members that were started again, from the start of the group on. */
    int restarts() {
        return restarts;
    }

    /** Waits until all members answer. @return a sentence for each that does not */
    List<String> awaitAnswers(long millis) {
        if (superviseUntil(millis, () -> group.members().stream()
                .allMatch(replica -> replica.ask().isPresent()))) {
            return List.of();
        }
        return group.replicas().stream()
                .filter(replica -> replica.ask().isEmpty())
                .map(replica -> "member " + replica.id() + " does not answer: " + replica.lastWords())
                .toList();
    }

    /** Waits until all have executed the same. @return whether their states are equal then */
    boolean settle(Consumer<String> remarks) {
        return group.settle(() -> group.members().forEach(this::lookAfter), remarks);
    }

    /** Lets the folder with the processes' output be there after the end. */
    void keepFolder() {
        keepsFolder = true;
    }

    @Override
    public void close() {
        processes.close();
        if (keepsFolder) {
            progress.accept("the processes' output is in " + folder.path());
        } else {
            folder.delete();
        }
    }
}
