package org.amo.lab.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.examples.counter.Counters;
import org.amo.examples.counter.CountersInMemory;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoReplica;
import org.jgroups.Version;

/** The port at which members talk to each other, from a process that does not know their secret. */
final class OrderPortAttacks {
    /** JGroups begins a connection with these bytes, its version, and the length of the sender's address. */
    private static final byte[] COOKIE = {'b', 'e', 'l', 'a'};

    private static final int[] CLAIMS = {0, -1, 1, 12 << 20, 232 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE};

    private static final long STAY_MILLIS = 2_000;

    private static final Logger QUIET = Logger.getLogger("org.amo.replication");

    private OrderPortAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onAll(
                        "order-rubbish",
                        "1,000 connections of random bytes to the order ports",
                        OrderPortAttacks::rubbish),
                Attack.onAll(
                        "order-lengths",
                        "1,000 connections to the order ports that claim frames of 0 to 2^31 bytes, or addresses of up to 32 kB",
                        OrderPortAttacks::lengths),
                Attack.onAll(
                        "order-forged-frames",
                        "frames with the form of sealed ones and no right seal, 500 a second, to the order ports",
                        OrderPortAttacks::forged),
                Attack.onAll(
                        "order-taken-links",
                        "connections to the order ports that greet with the address of each other member, 10 a second each,"
                                + " and send no frame",
                        OrderPortAttacks::takenLinks),
                Attack.onAll(
                        "join-stranger",
                        "a further process without a secret, and one with another secret in the place of a member, try to join",
                        (target, pace) -> join(
                                target,
                                pace,
                                List.of(
                                        new Stranger(
                                                "without a secret", Optional.empty(), AmoReplica.Builder::insecure),
                                        new Stranger(
                                                "with another secret",
                                                Optional.of("a"),
                                                builder -> builder.secret("the secret of another group"))))),
                Attack.onCertificates(
                        "join-certificate",
                        "processes with a certificate of another group, and with one that they made themselves, try to join in"
                                + " the place of a member",
                        (target, pace) -> join(
                                target,
                                pace,
                                List.of(
                                        new Stranger(
                                                "with a certificate of another group",
                                                Optional.of("a"),
                                                certificate(target, Certificates.OTHER_GROUP)),
                                        new Stranger(
                                                "with a certificate of its own making",
                                                Optional.of("a"),
                                                certificate(target, Certificates.UNTRUSTED))))));
    }

    private static Proof certificate(Target target, String name) {
        Path stores = target.secretFile().resolveSibling("stores");
        return builder -> builder.insecure().memberTls(Certificates.of(stores, name));
    }

    /** The first bytes of a member's connection as JGroups writes them, and so many of a frame. */
    static byte[] beginning(Member claimed, int frameBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(64 + frameBytes);
        greet(bytes, claimed).putInt(frameBytes);
        return written(bytes.position(bytes.position() + frameBytes));
    }

    private static ByteBuffer greet(ByteBuffer bytes, Member claimed) throws IOException {
        byte[] host = InetAddress.getByName(claimed.host()).getAddress();
        return bytes.put(COOKIE)
                .putShort(Version.version)
                .putShort((short) (1 + host.length + Short.BYTES))
                .put((byte) host.length)
                .put(host)
                .putShort((short) claimed.orderPort());
    }

    private static byte[] written(ByteBuffer bytes) {
        byte[] out = new byte[bytes.position()];
        bytes.flip().get(out);
        return out;
    }

    private static void rubbish(Target target, AttackRate pace) throws InterruptedException {
        Random random = target.random();
        pace.each(1_000, 100, i -> {
            byte[] bytes = new byte[1 + random.nextInt(4_000)];
            random.nextBytes(bytes);
            target.order(i).send(bytes);
        });
        pace.hold();
    }

    private static void lengths(Target target, AttackRate pace) throws InterruptedException {
        pace.each(1_000, 200, i -> {
            ByteBuffer bytes = ByteBuffer.allocate(64);
            if (i % 3 == 0) {
                bytes.put(COOKIE).putShort(Version.version);
                bytes.putShort((short) (i % 2 == 0 ? Short.MAX_VALUE : -1 - i));
            } else {
                greet(bytes, target.member(i / 3 + 1)).putInt(CLAIMS[i % CLAIMS.length]);
            }
            target.order(i / 3).send(written(bytes.put(new byte[20])));
        });
        pace.hold();
    }

    private static void forged(Target target, AttackRate pace) throws InterruptedException {
        Random random = target.random();
        Wire[] wires = new Wire[target.members().size()];
        pace.each(Integer.MAX_VALUE, 500, i -> {
            int at = i % wires.length;
            byte[] frame = new byte[40 + random.nextInt(2_000)];
            random.nextBytes(frame);
            ByteBuffer bytes = ByteBuffer.allocate(64 + frame.length);
            Wire wire = wires[at];
            if (wire == null) {
                wire = target.order(at);
                wires[at] = wire;
                greet(bytes, target.member(at + 1));
            }
            try {
                wire.send(written(bytes.putInt(frame.length).put(frame)));
            } catch (IOException e) {
                wires[at] = null;
                wire.close();
                throw e;
            }
        });
    }

    private static void takenLinks(Target target, AttackRate pace) throws InterruptedException {
        int members = target.members().size();
        int others = members - 1;
        Map<Integer, Wire> wires = new HashMap<>();
        pace.each(Integer.MAX_VALUE, 10.0 * members * others, i -> {
            int link = i % (members * others);
            Wire before = wires.remove(link);
            if (before != null) {
                before.close();
            }
            int at = link % members;
            Wire wire = target.order(at);
            wires.put(link, wire);
            wire.send(written(greet(ByteBuffer.allocate(64), target.member(at + 1 + link / members))));
        });
    }

    /** How a stranger tries to prove itself. */
    @FunctionalInterface
    private interface Proof {
        void give(AmoReplica.Builder builder);
    }

    /**
     * A process that has no right to join.
     *
     * @param kind for the remarks
     * @param id of the impersonated member; empty for a further member
     */
    private record Stranger(String kind, Optional<String> id, Proof proof) {}

    /**
     * Starts strangers as members in this process; the attack fails the check if a stranger gets a leader, or if no start of a
     * kind of stranger came as far as the group.
     */
    private static void join(Target target, AttackRate pace, List<Stranger> strangers) throws InterruptedException {
        // The strangers' own log output in this process is no news.
        QUIET.setLevel(Level.OFF);
        Path folders = target.secretFile().resolveSibling("strangers");
        Set<String> arrived = new HashSet<>();
        Map<String, String> stopped = new HashMap<>();
        try {
            pace.each(Integer.MAX_VALUE, 0.5, i -> {
                Stranger stranger = strangers.get(i % strangers.size());
                // A folder of an earlier start would stop this one before it asks a member.
                try (AmoReplica started = start(target, stranger, folders.resolve(Integer.toString(i)))) {
                    arrived.add(stranger.kind());
                    pace.hold(STAY_MILLIS);
                    String leader = started.status().leader();
                    if (!leader.isEmpty()) {
                        target.fail("a stranger takes part in a group, with leader " + leader);
                    }
                } catch (OrderedLogException e) {
                    if (pace.goesOn()) {
                        stopped.put(stranger.kind(), String.valueOf(e.getMessage()));
                    }
                    throw new IOException(e);
                }
            });
        } finally {
            stopped.keySet().removeAll(arrived);
            stopped.forEach((kind, why) -> target.fail("no stranger " + kind + " reached the group: " + why));
            if (arrived.isEmpty()) {
                target.fail("no stranger reached the group");
            }
        }
    }

    private static AmoReplica start(Target target, Stranger stranger, Path folder) {
        List<Integer> ports = FreePorts.find(2);
        List<Member> members = new ArrayList<>(target.members());
        Member self =
                new Member(stranger.id().orElse("stranger"), members.get(0).host(), ports.get(0), ports.get(1));
        members.removeIf(member -> member.id().equals(self.id()));
        members.add(self);
        AmoReplica.Builder builder = AmoReplica.builder(target.group())
                .id(self.id())
                .members(Member.format(members))
                .data(folder)
                .log(Log.MEMORY)
                .service(Counters.class, new CountersInMemory())
                .onEnded(why -> {});
        stranger.proof().give(builder);
        return builder.start();
    }
}
