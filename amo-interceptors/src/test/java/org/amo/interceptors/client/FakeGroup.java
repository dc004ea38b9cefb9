package org.amo.interceptors.client;

import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;

/** Members that share one counter, a group reference for them, and clients. */
final class FakeGroup implements AutoCloseable {
    final List<FakeMember> members = new ArrayList<>();
    final ConcurrentLinkedQueue<FakeMember.Seen> seen = new ConcurrentLinkedQueue<>();
    final AtomicInteger value = new AtomicInteger();
    final AtomicLong notes = new AtomicLong();
    volatile Function<FakeMember.Seen, Optional<Answer>> script = any -> Optional.empty();

    /** The name of the group in its references if they say that the members take datagrams. */
    volatile Optional<String> datagrams = Optional.empty();

    /** Requests that the server's ORB turns away before a replica sees them. */
    volatile Predicate<FakeMember.Seen> rejects = any -> false;

    private final List<org.omg.CORBA.ORB> clients = new ArrayList<>();

    FakeGroup(int size) throws Exception {
        for (int i = 0; i < size; i++) {
            members.add(new FakeMember(i, this));
        }
    }

    long time() {
        return System.currentTimeMillis();
    }

    long upper() {
        return time() - 300_000;
    }

    Answer refusal(Refusal reason) {
        return Answer.refused(reason, time(), upper());
    }

    /** Refuses the first copies for that reason. */
    void refuseFirst(int count, Refusal reason) {
        AtomicInteger left = new AtomicInteger(count);
        script = any -> left.getAndDecrement() > 0 ? Optional.of(refusal(reason)) : Optional.empty();
    }

    List<FakeMember.Seen> seen(String operation) {
        return seen.stream().filter(one -> one.operation().equals(operation)).collect(Collectors.toList());
    }

    FakeMember member(int index) {
        return members.get(index);
    }

    /** A client ORB with amo's interceptor. Each pair is a property and its value. */
    org.omg.CORBA.ORB client(String... more) {
        Properties properties = new Properties();
        properties.putAll(JacorbClientDefaults.properties());
        properties.put("amo.firstMember", "0");
        properties.put("amo.deadlineMillis", "10000");
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        org.omg.CORBA.ORB orb = org.omg.CORBA.ORB.init(new String[0], properties);
        clients.add(orb);
        return orb;
    }

    Counter counter(org.omg.CORBA.ORB orb) {
        return CounterHelper.narrow(orb.string_to_object(reference(0, Optional.of(groupTag(7)), false)));
    }

    Counter other(org.omg.CORBA.ORB orb) {
        return CounterHelper.narrow(orb.string_to_object(reference(0, Optional.of(groupTag(7)), true)));
    }

    /** A reference of the group to an object that no member has activated. */
    Counter missing(org.omg.CORBA.ORB orb) {
        byte[] key = members.get(0).objectKey.clone();
        key[key.length - 1]++;
        return CounterHelper.narrow(orb.string_to_object(reference(0, Optional.of(groupTag(7)), key)));
    }

    /** A reference without components: one member, nothing about a group. */
    Counter plain(org.omg.CORBA.ORB orb, int member) {
        return CounterHelper.narrow(orb.string_to_object(reference(member, Optional.empty(), false)));
    }

    static byte[] groupTag(long groupId) {
        ByteBuffer out = ByteBuffer.allocate(28);
        out.put((byte) 0).put((byte) 1).put((byte) 0).put((byte) 0);
        out.putInt(4).put("amo\0".getBytes(StandardCharsets.US_ASCII)).position(16);
        return out.putLong(groupId).putInt(3).array();
    }

    /** One IIOP 1.2 profile; the members from the first on, the others as alternates when there is a group. */
    String reference(int first, Optional<byte[]> groupTag, boolean other) {
        return reference(first, groupTag, other ? members.get(first).otherKey : members.get(first).objectKey);
    }

    private String reference(int first, Optional<byte[]> groupTag, byte[] key) {
        ByteBuffer out = ByteBuffer.allocate(1_000);
        out.put((byte) 0).put((byte) 1).put((byte) 2);
        address(out, members.get(first).proxy.port());
        octets(out, key);
        Optional<byte[]> udp = datagrams.map(name -> new DatagramTag(name).encode());
        align(out, 4).putInt(groupTag.isPresent() ? members.size() + (udp.isPresent() ? 1 : 0) : 0);
        groupTag.ifPresent(tag -> {
            for (int i = 0; i < members.size(); i++) {
                if (i != first) {
                    ByteBuffer alternate = ByteBuffer.allocate(32);
                    alternate.put((byte) 0);
                    address(alternate, members.get(i).proxy.port());
                    align(out, 4).putInt(3);
                    octets(out, bytes(alternate));
                }
            }
            align(out, 4).putInt(27);
            octets(out, tag);
            udp.ifPresent(data -> {
                align(out, 4).putInt(DatagramTag.TAG);
                octets(out, data);
            });
        });
        IOR ior = new IOR(CounterHelper.id(), new TaggedProfile[] {new TaggedProfile(0, bytes(out))});
        return new org.jacorb.orb.ParsedIOR((org.jacorb.orb.ORB) members.get(0).orb(), ior).getIORString();
    }

    private static void address(ByteBuffer out, int port) {
        octets(out, "127.0.0.1\0".getBytes(StandardCharsets.US_ASCII));
        align(out, 2).putShort((short) port);
    }

    private static void octets(ByteBuffer out, byte[] value) {
        align(out, 4).putInt(value.length).put(value);
    }

    private static ByteBuffer align(ByteBuffer out, int size) {
        while (out.position() % size != 0) {
            out.put((byte) 0);
        }
        return out;
    }

    private static byte[] bytes(ByteBuffer out) {
        byte[] written = new byte[out.position()];
        out.flip().get(written);
        return written;
    }

    @Override
    public void close() {
        clients.forEach(orb -> orb.shutdown(true));
        members.forEach(FakeMember::close);
    }
}
