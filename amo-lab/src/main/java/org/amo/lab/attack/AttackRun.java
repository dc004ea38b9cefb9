package org.amo.lab.attack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;
import org.amo.lab.attack.HonestCalls.Window;

/** One attack on a warm group: the attack, the time after it, and the check. One thread uses it. */
final class AttackRun {
    /** From the end of the attack until honest clients are watched again. */
    private static final long RECOVERY_MILLIS = 1_000;

    private static final long JOIN_MILLIS = 5_000;

    /** Of members that end as they may: more are no news. */
    private static final int MOST_ENDS_TOLD = 3;

    private final Attack attack;
    private final AttackedGroup group;
    private final AttackedMembers members;
    private final AttackSettings settings;
    private final Consumer<String> progress;
    private final List<String> remarks = new ArrayList<>();

    private boolean complete = true;

    AttackRun(Attack attack, AttackedGroup group, AttackSettings settings, Consumer<String> progress) {
        this.attack = attack;
        this.group = group;
        this.members = group.members();
        this.settings = settings;
        this.progress = progress;
    }

    AttackResult run() throws IOException, InterruptedException {
        group.coldness().ifPresent(remarks::add);
        int restarts = members.restarts();
        members.heap().begin();
        Target target = group.target(attack);
        AttackRate pace = new AttackRate(settings.durationMillis() + JOIN_MILLIS);
        Window during = attack(target, pace);
        members.supervise(RECOVERY_MILLIS);
        progress.accept("honest clients after the attack");
        Supplier<HonestCalls.Comparison> honest = group.watchAfter(during);
        progress.accept("comparing states and books");
        AttackedGroup.Check check = group.check(target.expected(), remarks);
        complete &= check.books().complete();
        List<String> lines = logLines();
        remarks.addAll(target.notes());
        complete &= !target.hasFailed();
        target.lack(pace).ifPresent(this::incomplete);
        boolean haveEnded = hasEnds();
        if (attack.mayEndMembers() && !haveEnded) {
            incomplete("no member ended, so the operation that ends them did not run");
        }
        OptionalLong left = members.heap().mostLeftBytes();
        if (left.isEmpty()) {
            incomplete("no member made a full collection during the attack, so its heap is not known");
        }
        AttackResult.Measured measured = new AttackResult.Measured(
                check.alive() && (!haveEnded || attack.mayEndMembers()),
                members.heap().percent(left.orElse(0)),
                honest.get(),
                check.statesEqual(),
                lines.size(),
                members.restarts() - restarts,
                check.books().executedTwice(),
                check.books().lost());
        remarks.add(String.format(
                Locale.ROOT,
                "honest clients without an attack: %.0f calls a second, p99 %.1f ms",
                measured.honest().calmRate(),
                measured.honest().calmP99Millis()));
        return AttackResult.of(attack, members.service(), measured, complete, pace, during.seconds(), remarks);
    }

    /** Runs the attack for its time, or until it has nothing left to do; the heap is looked at while its connections are open. */
    private Window attack(Target target, AttackRate pace) throws InterruptedException {
        progress.accept("attack");
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread attacker = DaemonThreads.unstarted("amo-attack", () -> {
            try {
                attack.run(target, pace);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        });
        long begin = System.nanoTime();
        attacker.start();
        members.superviseUntil(settings.durationMillis(), () -> !attacker.isAlive());
        Window window = new Window(begin, System.nanoTime());
        List<String> silent = members.heap().collect(members.group().members());
        for (String id : silent) {
            String words = "member " + id + " did not collect its heap when it was asked";
            if (attack.mayEndMembers()) {
                remarks.add(words);
            } else {
                // The fullest heap counts, and it may be the one that is not known.
                incomplete(words);
            }
        }
        pace.end();
        attacker.interrupt();
        target.close();
        attacker.join(JOIN_MILLIS);
        target.close();
        Exception found = failure.get();
        if (found != null) {
            incomplete("the attack itself failed: " + found);
        } else if (attacker.isAlive()) {
            incomplete("the attack itself did not end");
        }
        return window;
    }

    private List<String> logLines() throws IOException {
        List<String> lines = members.logs().takeLines();
        if (lines.size() > AttackResult.MOST_LOG_LINES) {
            remarks.addAll(LogWatch.mostFrequent(lines));
        }
        long exhausted =
                lines.stream().filter(line -> line.contains("OutOfMemoryError")).count();
        if (exhausted > 0) {
            remarks.add(exhausted + " log lines speak of OutOfMemoryError");
        }
        return lines;
    }

    /** @return whether a member ended since the last attack, or since the group's start */
    private boolean hasEnds() {
        List<AttackedMembers.End> ends = members.takeEnds();
        ends.stream()
                .limit(attack.mayEndMembers() ? MOST_ENDS_TOLD : ends.size())
                .forEach(end -> remarks.add(end.words()));
        if (attack.mayEndMembers()) {
            ends.forEach(end -> members.heap().leaveOut(end.pid()));
        }
        return !ends.isEmpty();
    }

    private void incomplete(String why) {
        complete = false;
        remarks.add(why);
    }
}
