package org.amo.lab.attack;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.lab.attack.HonestCalls.Comparison;
import org.amo.lab.attack.HonestCalls.Window;
import org.amo.lab.load.Clients;
import org.amo.lab.load.LoadSettings;

/**
 * A warm group with honest clients, from its start through all attacks on it. Clients call without a break but for the check after
 * each attack. One thread uses it; a signal may end it at any time.
 */
final class AttackedGroup implements AttackSeries.Group {
    private static final int CLIENTS = 2;
    private static final int THREADS = 4;

    /** Clients that rest between calls leave the machine room, so that their rate tells of the group, not of the processor. */
    private static final int MOST_PAUSE_MILLIS = 20;

    /** From the last call without a pause until honest clients are watched. */
    private static final long REST_MILLIS = 2_000;

    private static final long LONGEST_CLIENTS_MILLIS = 6 * 3_600_000;
    private static final long LAST_CALLS_MILLIS = 40_000;
    private static final long ALIVE_MILLIS = 30_000;
    private static final long RELEASE_MILLIS = 10_000;

    private final AttackedMembers members;
    private final AttackSettings settings;
    private final Consumer<String> progress;
    private final Path reference;
    private final Clients clients;
    private final HonestCalls calls;
    private final Optional<String> coldness;
    private final Window first;
    private final Map<String, Target.Bounds> expected = new LinkedHashMap<>();

    private Window calm;

    /** The state of the group while honest clients make no calls. */
    record Check(boolean alive, boolean statesEqual, AttackedBooks.Judgement books) {}

    private AttackedGroup(AttackedMembers members, AttackSettings settings, Consumer<String> progress)
            throws IOException {
        this.members = members;
        this.settings = settings;
        this.progress = progress;
        progress.accept("starting");
        members.group().startAll();
        reference = members.service().reference(members.group(), members.folder());
        clients = Clients.start(
                members.service().clients(),
                CLIENTS,
                new LoadSettings.Shape(THREADS, LONGEST_CLIENTS_MILLIS, settings.seed(), true, 0, MOST_PAUSE_MILLIS),
                reference,
                true,
                members.folder(),
                members.processes());
        // As fast as they can: compilers take up what has run often.
        clients.hurry();
        clients.go();
        progress.accept("warming up");
        coldness = AttackWarmUp.await(settings, members::spent, members::supervise);
        clients.rest();
        members.supervise(REST_MILLIS);
        progress.accept("honest clients without an attack");
        first = watch();
        calm = first;
        members.logs().begin();
        calls = HonestCalls.open(clients.histories());
    }

    /** Starts the members and clients, and waits until they are warm. Members that do not come so far are ended. */
    static AttackedGroup start(AttackedMembers members, AttackSettings settings, Consumer<String> progress)
            throws IOException {
        boolean hasStarted = false;
        try {
            AttackedGroup group = new AttackedGroup(members, settings, progress);
            hasStarted = true;
            return group;
        } finally {
            if (!hasStarted) {
                members.keepFolder();
                members.close();
            }
        }
    }

    @Override
    public AttackResult attack(Attack attack) throws IOException, InterruptedException {
        boolean hasPassed = false;
        try {
            AttackResult result =
                    new AttackRun(attack, this, settings, line -> progress.accept(attack.name() + ": " + line)).run();
            hasPassed = result.passed();
            return result;
        } finally {
            if (!hasPassed) {
                members.keepFolder();
            }
        }
    }

    @Override
    public boolean hasRecovered() {
        return calls.isLike(first, calm);
    }

    @Override
    public void close() {
        try {
            calls.close();
        } finally {
            members.close();
        }
    }

    AttackedMembers members() {
        return members;
    }

    /** Why the members were not warm when the first measurement began; empty if they were. */
    Optional<String> coldness() {
        return coldness;
    }

    Target target(Attack attack) {
        return new Target(
                attack.name(),
                members.service(),
                members.members(),
                reference,
                members.group().secret(),
                settings.seed());
    }

    /**
     * Watches honest clients after an attack. The window is that before the next attack, too.
     *
     * @param during of the attack
     * @return tells after the next check, once the clients' events are there, how they were served
     */
    Supplier<Comparison> watchAfter(Window during) {
        Window before = calm;
        calm = watch();
        Window after = calm;
        return () -> calls.compare(first, before, during, after);
    }

    private Window watch() {
        long begin = System.nanoTime();
        members.supervise(settings.calmMillis());
        return new Window(begin, System.nanoTime());
    }

    /**
     * Holds honest clients, compares the members' states and the service's books with all that clients and attackers know, and lets
     * clients call again.
     *
     * @param more accounts of the attack that has ended
     */
    Check check(Map<String, Target.Bounds> more, List<String> remarks) throws IOException {
        expected.putAll(more);
        clients.hold();
        boolean held = members.superviseUntil(LAST_CALLS_MILLIS, clients::areHeld);
        if (!held) {
            remarks.add("honest clients did not end their calls within " + LAST_CALLS_MILLIS / 1_000 + " s");
        }
        List<String> silent = members.awaitAnswers(ALIVE_MILLIS);
        remarks.addAll(silent);
        boolean equal = silent.isEmpty() && members.settle(remarks::add);
        AttackedBooks.Judgement books = held
                ? AttackedBooks.judge(members.service(), clients, expected, remarks)
                : AttackedBooks.Judgement.UNKNOWN;
        // The question for the books is a call, too.
        equal = equal && members.settle(remarks::add);
        calls.readOn();
        clients.release();
        members.superviseUntil(RELEASE_MILLIS, clients::areReleased);
        return new Check(silent.isEmpty(), equal, books);
    }
}
