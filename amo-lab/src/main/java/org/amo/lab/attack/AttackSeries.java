package org.amo.lab.attack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.cli.CliException;

/**
 * Attacks groups, one attack after the other, and decides when a group is renewed: after an attack that failed, and when the group
 * is not as it was before the first one. An attack that fails on a group with others before it runs once more alone. One thread.
 */
final class AttackSeries {
    private final Groups groups;
    private final Function<Attack, Service> service;
    private final Consumer<AttackResult> results;

    /** A group that runs. */
    interface Group extends AutoCloseable {
        /** @throws CliException if the group cannot be attacked any more, as the exceptions beside it */
        AttackResult attack(Attack attack) throws IOException, InterruptedException;

        /** Whether honest clients are served as before the first attack. */
        boolean hasRecovered();

        @Override
        void close();
    }

    /** Starts groups. */
    @FunctionalInterface
    interface Groups {
        /**
         * Starts one and waits until it is warm.
         *
         * @param first attack on it, the others are of its kind
         * @throws CliException if it does not start, as the exceptions beside it
         */
        Group start(Attack first) throws IOException, InterruptedException;
    }

    /** @param results told of each result at once, in the order of the runs */
    AttackSeries(Groups groups, Function<Attack, Service> service, Consumer<AttackResult> results) {
        this.groups = groups;
        this.service = service;
        this.results = results;
    }

    /** @param plan of {@link AttackPlan} */
    void run(List<List<Attack>> plan) throws InterruptedException {
        for (List<Attack> same : plan) {
            for (int done = 0; done < same.size(); ) {
                done += onOneGroup(same.subList(done, same.size()));
            }
        }
    }

    /** @return how many of them have run: one at least */
    private int onOneGroup(List<Attack> attacks) throws InterruptedException {
        List<String> before = new ArrayList<>();
        boolean again = false;
        Optional<Group> started = start(attacks.get(0));
        if (started.isEmpty()) {
            return 1;
        }
        try (Group group = started.get()) {
            boolean goesOn = true;
            while (goesOn && before.size() < attacks.size()) {
                Attack attack = attacks.get(before.size());
                AttackResult result = attack(group, attack).after(before);
                before.add(attack.name());
                results.accept(result);
                again = result.isRunAgain();
                goesOn = result.passed() && group.hasRecovered();
            }
        }
        if (again) {
            // Only the last attack on a group can have failed.
            onOneGroup(List.of(attacks.get(before.size() - 1)));
        }
        return before.size();
    }

    private Optional<Group> start(Attack first) throws InterruptedException {
        try {
            return Optional.of(groups.start(first));
        } catch (CliException | IOException | UncheckedIOException e) {
            results.accept(brokenOff(first, e));
            return Optional.empty();
        }
    }

    private AttackResult attack(Group group, Attack attack) throws InterruptedException {
        try {
            return group.attack(attack);
        } catch (CliException | IOException | UncheckedIOException e) {
            // The other attacks are worth running all the same.
            return brokenOff(attack, e);
        }
    }

    private AttackResult brokenOff(Attack attack, Exception why) {
        return AttackResult.failed(attack, service.apply(attack), "the run broke off: " + why.getMessage());
    }
}
