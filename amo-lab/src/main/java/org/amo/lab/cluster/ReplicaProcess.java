package org.amo.lab.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.Member;

/** One replica through its lives. One thread owns it. */
public final class ReplicaProcess {
    private final Member member;
    private final MemberProgram program;
    private final Path folder;
    private final ProcessGroup.Place place;

    private Optional<Child> process = Optional.empty();
    private Optional<Status> last = Optional.empty();
    private int lives;
    private final Map<Integer, Long> repaired = new HashMap<>();
    private final Map<Integer, Long> diverged = new HashMap<>();

    /** When each life ended that has ended, in System.nanoTime(). */
    private final List<Long> ends = new ArrayList<>();

    ReplicaProcess(Member member, MemberProgram program, Path folder, ProcessGroup.Place place) {
        this.member = member;
        this.program = program;
        this.folder = folder;
        this.place = place;
    }

    public Member member() {
        return member;
    }

    public String id() {
        return member.id();
    }

    /** The file that the bank's server writes its reference to. */
    public Path reference() {
        return folder.resolve(id() + ".ior");
    }

    /** The events of one life, the first being 1. */
    public Path history(int life) {
        return folder.resolve("history-" + id() + "-" + life + ".jsonl");
    }

    /** The output of the process of its present life. */
    public Path log() {
        return folder.resolve("replica-" + id() + "-" + lives + ".log");
    }

    public int lives() {
        return lives;
    }

    /** When a life ended, in System.nanoTime(); empty while it lasts. */
    public Optional<Long> end(int life) {
        return life <= ends.size() ? Optional.of(ends.get(life - 1)) : Optional.empty();
    }

    public boolean killed() {
        return !ends.isEmpty();
    }

    public boolean restarted() {
        return killed() && process.isPresent();
    }

    public boolean isUp() {
        return process.isPresent();
    }

    public Optional<Child> process() {
        return process;
    }

    /** The latest status that was had, from an earlier life if need be. */
    public Optional<Status> last() {
        return last;
    }

    Child start(boolean withHistory) {
        lives++;
        List<String> words = new ArrayList<>(place.prefix());
        words.addAll(program.words(withHistory ? Optional.of(history(lives)) : Optional.empty()));
        Child child = Child.quiet(id(), words, log());
        process = Optional.of(child);
        return child;
    }

    public void kill() {
        process.ifPresent(Child::kill);
        ended();
    }

    /** Its process has ended, by us or by itself. */
    public void ended() {
        if (process.isPresent()) {
            process = Optional.empty();
            ends.add(System.nanoTime());
        }
    }

    /** Whether it has written all that clients need. */
    boolean isReady() {
        return program.isReady();
    }

    /** Asks it now; empty when it is down or does not answer. */
    public Optional<Status> ask() {
        Optional<Status> status = isUp() ? program.ask() : Optional.empty();
        if (status.isPresent()) {
            last = status;
            repaired.put(lives, status.get().number("repaired"));
            diverged.put(lives, status.get().number("diverged"));
        }
        return status;
    }

    /** Damaged places on its disk that its present life has found and that are whole again, as far as it was asked. */
    public long repairedNow() {
        return repaired.getOrDefault(lives, 0L);
    }

    /** The same of all its lives. */
    public long repaired() {
        return repaired.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Members that it found diverged, itself too, in all its lives, as far as it was asked. */
    public long diverged() {
        return diverged.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Where its data are. */
    public Path data() {
        return place.data();
    }

    /** The last thing that its process said. */
    public String lastWords() {
        return process.map(Child::lastWords).orElse("it does not run");
    }
}
