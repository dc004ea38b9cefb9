package org.amo.lab.attack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;

/** Holds an attack's knowledge of the group and the connections that it has opened. Any thread. */
final class Target implements AutoCloseable {
    /** Begins the names of accounts of attacks. */
    private static final String ACCOUNTS = "attack-";

    private final String attack;
    private final List<Member> members;
    private final Path reference;
    private final Service service;
    private final Path secret;
    private final long seed;

    private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
    private final Map<String, Bounds> expected = new LinkedHashMap<>();
    private final Map<String, Integer> notes = new LinkedHashMap<>();
    private final AtomicLong tried = new AtomicLong();
    private final AtomicLong opened = new AtomicLong();
    private boolean hasFailed;

    /**
     * How often operations on one account may have run.
     *
     * @param least answered calls
     * @param most answered calls, and calls with an unknown outcome
     * @param some whether an attack of which none ran has attacked nothing
     */
    record Bounds(long least, long most, boolean some) {}

    /**
     * Holds the knowledge of one attack.
     *
     * @param attack its name
     * @param reference file that says where the service is
     */
    Target(String attack, Service service, List<Member> members, Path reference, Path secret, long seed) {
        this.attack = attack;
        this.members = List.copyOf(members);
        this.reference = reference;
        this.service = service;
        this.secret = secret;
        this.seed = seed;
    }

    List<Member> members() {
        return members;
    }

    Member member(int index) {
        return members.get(Math.floorMod(index, members.size()));
    }

    Service service() {
        return service;
    }

    String group() {
        return service.group();
    }

    Path secretFile() {
        return secret;
    }

    /** The bank's object reference. */
    String reference() throws IOException {
        return Files.readString(reference).strip();
    }

    /** The reference of the object beside the bank with the operations that an attack misuses. */
    String victim() throws IOException {
        return Files.readString(AttackedBankServer.victim(reference)).strip();
    }

    /** The same numbers in each run of this attack with the same seed; those of other attacks, and so their clients' ids, differ. */
    Random random() {
        return new Random(seed * 1_000_003 + attack.hashCode());
    }

    /** An account that belongs to the attack, and to no other. */
    String account() {
        return ACCOUNTS + attack;
    }

    /** A further one. */
    String account(String name) {
        return account() + "." + name;
    }

    /** A connection to the port at which member serves clients. */
    Wire client(int member) throws IOException {
        return open(member(member).clientPort());
    }

    /** A connection to the port at which members talk to each other. */
    Wire order(int member) throws IOException {
        return open(member(member).orderPort());
    }

    private Wire open(int port) throws IOException {
        Wire[] self = new Wire[1];
        tried.incrementAndGet();
        Wire wire = Wire.open(port, () -> wires.remove(self[0]));
        opened.incrementAndGet();
        self[0] = wire;
        wires.add(wire);
        return wire;
    }

    /** After the run the account must show as many executions. */
    synchronized void expect(String account, long least, long most) {
        expected.put(account, new Bounds(least, most, false));
    }

    /** The same, and one at least, answered or not: the attack needs calls that run. */
    synchronized void expectSome(String account, long least, long most) {
        expected.put(account, new Bounds(least, most, true));
    }

    /** Why the attack was none; empty if it was one. */
    Optional<String> lack(AttackRate pace) {
        if (pace.steps() == 0) {
            return Optional.of("the attack did not take a step");
        }
        return tried.get() > 0 && opened.get() == 0
                ? Optional.of("the attack could open none of its " + tried.get() + " connections")
                : Optional.empty();
    }

    synchronized Map<String, Bounds> expected() {
        return Map.copyOf(expected);
    }

    /** Something that the attack saw and the reader of the result should know. */
    synchronized void note(String what) {
        notes.merge(what, 1, Integer::sum);
    }

    /** Something that must not have happened: the attack has not passed. */
    synchronized void fail(String what) {
        hasFailed = true;
        note(what);
    }

    synchronized boolean hasFailed() {
        return hasFailed;
    }

    synchronized List<String> notes() {
        return notes.entrySet().stream()
                .map(note -> note.getKey() + (note.getValue() > 1 ? " (" + note.getValue() + " times)" : ""))
                .toList();
    }

    /** Ends all connections that are still open. */
    @Override
    public void close() {
        for (Wire wire : List.copyOf(wires)) {
            try {
                wire.reset();
            } catch (IOException e) {
                wires.remove(wire);
            }
        }
    }
}
