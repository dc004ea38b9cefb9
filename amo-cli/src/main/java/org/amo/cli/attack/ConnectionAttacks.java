package org.amo.cli.attack;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Connections that cost more than they bring: silent, slow, short, torn. */
final class ConnectionAttacks {
    private static final int SLOW = 300;
    private static final int BYTES_A_SECOND = 1_500;
    private static final int CHURN_A_SECOND = 600;

    /** For what the command itself has open. */
    private static final int SPARE_FILES = 200;

    private ConnectionAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onAll(
                        "silent-connections",
                        "1,200 connections to the client ports that never say anything",
                        (target, pace) -> silent(target, pace, 1_200)),
                Attack.onAll(
                        "many-connections",
                        "5,000 connections to the client ports, each of which begins to greet and stops",
                        (target, pace) -> silent(target, pace, 5_000)),
                Attack.onAll(
                        "silent-order",
                        "600 connections to the order ports that never say anything",
                        ConnectionAttacks::silentOrder),
                Attack.onBank(
                        "slow-iiop",
                        "slowloris: 300 connections, each sends a request of 8 kB a byte at a time",
                        (target, pace) -> slow(target, pace, Port.CLIENT, slowRequest(target))),
                Attack.onAll(
                        "slow-order",
                        "slowloris on the order ports: 300 connections, a byte at a time",
                        (target, pace) -> slow(target, pace, Port.ORDER, OrderPortAttacks.beginning(64))),
                Attack.onCounter(
                        "slow-java",
                        "slowloris on the ports of Java clients: 300 connections greet a byte at a time",
                        (target, pace) ->
                                slow(target, pace, Port.CLIENT, RpcWire.hello(target, new byte[16], new byte[16]))),
                Attack.onAll(
                        "churn",
                        "connections to all ports, closed at once, 600 a second",
                        (target, pace) -> pace.crew(4, Integer.MAX_VALUE, CHURN_A_SECOND, i -> any(target, i)
                                .close())),
                Attack.onAll(
                        "resets",
                        "connections to all ports, torn by a reset after half a message, 600 a second",
                        ConnectionAttacks::resets),
                Attack.onBank(
                        "half-messages",
                        "1,000 connections that send half of a request and fall silent",
                        ConnectionAttacks::halves));
    }

    private enum Port {
        CLIENT,
        ORDER
    }

    private static void silent(Target target, Pace pace, int count) throws IOException, InterruptedException {
        int most = affordable(target, count);
        pace.crew(4, most, Math.max(400, most / 4.0), i -> target.client(i));
        pace.hold();
    }

    private static void silentOrder(Target target, Pace pace) throws IOException, InterruptedException {
        pace.crew(2, affordable(target, 600), 300, i -> target.order(i));
        pace.hold();
    }

    /** One process may not have any number of files open; what it may not is said in the result. */
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

    private static void slow(Target target, Pace pace, Port port, byte[] message) throws InterruptedException {
        Wire[] wires = new Wire[SLOW];
        int[] sent = new int[SLOW];
        pace.each(Integer.MAX_VALUE, BYTES_A_SECOND, i -> {
            int at = i % SLOW;
            Wire wire = wires[at];
            if (wire == null || sent[at] == message.length) {
                wire = port == Port.CLIENT ? target.client(at) : target.order(at);
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

    private static Wire any(Target target, int i) throws IOException {
        return i % 4 == 0 ? target.order(i) : target.client(i);
    }

    private static void resets(Target target, Pace pace) throws InterruptedException {
        byte[] half = Giop.header(1, 2, 0, Giop.REQUEST, 100);
        pace.crew(4, Integer.MAX_VALUE, CHURN_A_SECOND, i -> any(target, i)
                .send(half)
                .reset());
    }

    private static void halves(Target target, Pace pace) throws IOException, InterruptedException {
        byte[] whole = Giop.request(
                1, Giop.objectKey(target.reference()), "deposit", RawClient.deposit(target.account("half")));
        byte[] half = java.util.Arrays.copyOf(whole, whole.length / 2);
        target.expect(target.account("half"), 0, 0);
        List<Wire> open = new ArrayList<>();
        pace.each(1_000, 500, i -> open.add(target.client(i).send(half)));
        pace.hold();
    }
}
