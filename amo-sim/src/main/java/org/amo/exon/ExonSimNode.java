package org.amo.exon;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.amo.exon.udp.SimEncryption;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** A process with an Exon node: its lives, its disk, its application, its address. */
final class ExonSimNode implements ExonEffects, SimEncryption.Wire {
    static final byte[] SECRET = {1, 2, 3, 4, 5, 6, 7, 8};

    private final SimWorld world;
    private final ExonNetwork network;
    private final ExonLedger ledger;
    private final ExonOptions options;
    private final RuleSet<ExonRule> rules;
    private final int index;
    private final NodeId id;
    private final ArrayDeque<Runnable> whileFrozen = new ArrayDeque<>();

    private final SimApplication application;

    private @Nullable ExonNode node;
    private SimEncryption.@Nullable Links links;
    private long storedBound = 1;
    private int life;
    private boolean abandoned;
    private int place;
    private long frozenUntilMicros;
    private long tickAtMicros = Long.MAX_VALUE;

    ExonSimNode(
            SimWorld world,
            ExonNetwork network,
            ExonLedger ledger,
            ExonOptions options,
            RuleSet<ExonRule> rules,
            int index) {
        this.world = world;
        this.network = network;
        this.ledger = ledger;
        this.options = options;
        this.rules = rules;
        this.index = index;
        this.id = new NodeId(7, index);
        this.application =
                new SimApplication(world, ledger, this, network.hasFaults(), rules.holds(ExonRule.WRITTEN_BEFORE_ACK));
    }

    /** The address of a node: a place that no other node ever has. */
    record SimAddress(int node, int place) implements Address {}

    SimAddress address() {
        return new SimAddress(index, place);
    }

    NodeId id() {
        return id;
    }

    int index() {
        return index;
    }

    /** How often it was started again. */
    int life() {
        return life;
    }

    /** Whether it has forgotten a record with open slots. */
    boolean hasAbandoned() {
        return abandoned;
    }

    boolean up() {
        return node != null;
    }

    /** Whether messages count as delivered when they are in its durable inbox. */
    boolean hasInbox() {
        return application.hasInbox();
    }

    /** Whether its application can do anything now. */
    boolean runs() {
        return node != null && world.nowMicros() >= frozenUntilMicros;
    }

    void start() {
        long incarnation = !rules.holds(ExonRule.CLOCK_RESERVED) ? 1 : storedBound;
        storedBound = incarnation + options.clockRange();
        node = rules.allHold()
                ? new ExonNode(id, incarnation, storedBound, SECRET, options, this)
                : new MutantExonNode(id, incarnation, storedBound, SECRET, options, rules, this);
        links = network.encryption()
                .map(encryption -> encryption.start(id, life, incarnation, this))
                .orElse(null);
        node.onKept(application.start());
        network.nodes().forEach(other -> {
            if (other != this) {
                node.hint(other.id, new SimAddress(other.index, 0));
            }
        });
    }

    /** An orderly end: as a crash, but the node gives back the slots that it does not use. */
    void stop() {
        if (node != null && runs()) {
            node.close(world.nowMicros());
        }
        crash();
    }

    void crash() {
        trace("crashes");
        node = null;
        links = null;
        application.crash();
        life++;
        frozenUntilMicros = 0;
        whileFrozen.clear();
        tickAtMicros = Long.MAX_VALUE;
    }

    void freeze(long micros) {
        trace("is stopped");
        frozenUntilMicros = world.nowMicros() + micros;
        world.at(frozenUntilMicros, this::thaw);
    }

    private void thaw() {
        if (world.nowMicros() >= frozenUntilMicros) {
            ArrayDeque<Runnable> inputs = new ArrayDeque<>(whileFrozen);
            whileFrozen.clear();
            inputs.forEach(Runnable::run);
            tick();
        }
    }

    /** Goes on at once. */
    void heal() {
        frozenUntilMicros = 0;
        application.heal();
        thaw();
    }

    void move() {
        place++;
        trace("moves to " + place);
    }

    /** The place that the others have as its configured address is kept for ever. */
    boolean isAt(SimAddress address) {
        return address.place == place || address.place == 0;
    }

    /** The application takes nothing for a while. */
    void stopTaking(long micros) {
        application.stop(world.nowMicros() + micros);
    }

    void send(ExonLedger.Message message) {
        if (node == null) {
            return;
        }
        trace("sends m" + message.number + " of " + message.body.length + " to " + message.to);
        boolean taken =
                node.send(message.to.id, message.number, message.body, message.deadlineMicros, world.nowMicros());
        if (!taken) {
            throw new SimViolationException(ExonLedger.LOST, "m" + message.number + " was refused");
        }
        after();
    }

    void receive(SimAddress from, byte[] datagram) {
        if (node == null) {
            return;
        }
        if (world.nowMicros() < frozenUntilMicros) {
            whileFrozen.add(() -> receive(from, datagram));
            return;
        }
        if (links != null) {
            links.onDatagram(from, datagram, world.nowMicros());
        } else {
            node.onDatagram(from, datagram, datagram.length, world.nowMicros());
        }
        after();
    }

    @Override
    public void opened(Address from, byte[] datagram) {
        if (node != null) {
            node.onDatagram(from, datagram, datagram.length, world.nowMicros());
        }
    }

    private void tick() {
        if (node != null && world.nowMicros() >= frozenUntilMicros) {
            node.onTick(world.nowMicros());
            if (links != null) {
                links.onTick(world.nowMicros());
            }
            after();
        }
    }

    private void after() {
        if (node == null) {
            return;
        }
        node.flush(world.nowMicros());
        ExonCounters counters = node.counters();
        abandoned |= counters.abandoned() > 0;
        if (counters.mostSlotsOfARecord() > network.slotsPerRecord()
                || counters.openSlots() + counters.heldUnits() > network.slotsPerNode()) {
            throw new SimViolationException(
                    ExonLedger.BOUND,
                    this + " has " + counters.mostSlotsOfARecord() + " slots open for one sender, "
                            + counters.openSlots() + " in all");
        }
        long deadline = links == null ? node.nextDeadline() : Math.min(node.nextDeadline(), links.nextDeadline());
        long at = Math.max(deadline, world.nowMicros() + 1);
        if (at < tickAtMicros && at != Long.MAX_VALUE) {
            tickAtMicros = at;
            int then = life;
            world.at(at, () -> {
                if (tickAtMicros == at && life == then) {
                    tickAtMicros = Long.MAX_VALUE;
                    tick();
                }
            });
        }
    }

    @Override
    public void transmit(NodeId peer, Address to, byte[] datagram) {
        if (links != null) {
            links.transmit(peer, to, datagram, world.nowMicros());
        } else {
            transmit(to, datagram);
        }
    }

    @Override
    public void transmit(Address to, byte[] datagram) {
        network.carry(this, (SimAddress) to, datagram);
    }

    @Override
    public void send(Address to, byte[] datagram) {
        transmit(to, datagram);
    }

    @Override
    public void deliver(MessageName delivery, byte[] body) {
        ExonSimNode sender = network.nodes().get((int) delivery.from().low());
        ExonLedger.Message message = ledger.onDelivered(sender, this, body);
        trace("is delivered m" + message.number + " of " + sender);
        application.gather(delivery, message);
    }

    /** An input for the node of a life, from its application or its disk. */
    void input(int ofLife, Consumer<ExonNode> input) {
        if (node == null || life != ofLife) {
            return;
        }
        if (world.nowMicros() < frozenUntilMicros) {
            whileFrozen.add(() -> input(ofLife, input));
            return;
        }
        input.accept(node);
        after();
    }

    @Override
    public void completed(long message, Outcome outcome) {
        trace("hears that m" + message + " is " + outcome);
        ledger.onOutcome(message, outcome);
    }

    @Override
    public void reserveClock(long bound) {
        int then = life;
        world.after(world.between(100, 20_000), () -> {
            if (life == then) {
                storedBound = Math.max(storedBound, bound);
                world.after(1, () -> {
                    if (life == then && node != null) {
                        node.onClockReserved(bound, world.nowMicros());
                        after();
                    }
                });
            }
        });
    }

    /** The network has kept the order, or nearly, for some seconds: no path waits long for what others have overtaken. */
    void checkWindows() {
        if (node != null && node.counters().reorderingMicros() > 10_000) {
            throw new SimViolationException(
                    ExonLedger.SLOW, this + " waits " + node.counters().reorderingMicros() + " us for late datagrams");
        }
    }

    void checkEmpty() {
        if (node != null) {
            ExonCounters counters = node.counters();
            if (counters.peers() > 0 || counters.openSlots() > 0 || counters.heldUnits() > 0) {
                throw new SimViolationException(
                        ExonLedger.STAYS,
                        this + " remembers " + counters.peers() + " peers, " + counters.sendRecords() + " S, "
                                + counters.receiveRecords() + " R");
            }
            if (links != null && links.remembered() > 0) {
                throw new SimViolationException(
                        ExonLedger.STAYS, this + " has keys with " + links.remembered() + " peers");
            }
        }
    }

    void trace(String what) {
        world.trace(() -> this + " " + what);
    }

    @Override
    public String toString() {
        return "n" + index;
    }
}
