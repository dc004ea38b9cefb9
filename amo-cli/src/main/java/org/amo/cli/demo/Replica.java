package org.amo.cli.demo;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;

/** One replica of the demo through its lives. One thread owns it. */
final class Replica {
    private final Member member;
    private final ServerWrap wrap;
    private final Path folder;

    private Optional<Child> process = Optional.empty();
    private Optional<Status> last = Optional.empty();
    private int lives;
    private boolean killed;

    Replica(Member member, ServerWrap wrap, Path folder) {
        this.member = member;
        this.wrap = wrap;
        this.folder = folder;
    }

    Member member() {
        return member;
    }

    String id() {
        return member.id();
    }

    /** The file that the bank's server writes its reference to. */
    Path reference() {
        return folder.resolve(id() + ".ior");
    }

    /** The events of one life, the first being 1. */
    Path history(int life) {
        return folder.resolve("history-" + id() + "-" + life + ".jsonl");
    }

    int lives() {
        return lives;
    }

    boolean killed() {
        return killed;
    }

    boolean restarted() {
        return killed && process.isPresent();
    }

    boolean isUp() {
        return process.isPresent();
    }

    Optional<Child> process() {
        return process;
    }

    /** The latest status that was had, from an earlier life if need be. */
    Optional<Status> last() {
        return last;
    }

    Child start(boolean withHistory) {
        lives++;
        ServerWrap life = withHistory ? wrap.withHistory(history(lives)) : wrap;
        JavaCommandLine command = life.apply(Programs.bankServer(reference()));
        Child child = Child.quiet(id(), command.words(), folder.resolve("replica-" + id() + "-" + lives + ".log"));
        process = Optional.of(child);
        return child;
    }

    void kill() {
        process.ifPresent(Child::kill);
        process = Optional.empty();
        killed = true;
    }

    /** Asks it now; empty when it is down or does not answer. */
    Optional<Status> ask() {
        Optional<Status> status = isUp() ? Status.ask(member) : Optional.empty();
        if (status.isPresent()) {
            last = status;
        }
        return status;
    }
}
