package org.amo.replication.order.group;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.order.TlsFiles;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.tls.KeyStores;
import org.amo.replication.tls.ReloadedContext;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JGroups channel between the configured members of a group, known by their ids.
 *
 * <p>TCP to fixed addresses, without Nagle's delay and without the diagnostics port; with
 * mutual TLS, or sealed with the group's secret. If a member's process dies, its closed connections tell so, and the member
 * leaves the view about {@value #VERIFY_MILLIS} ms later. A silent member (stopped, or its machine is gone) leaves the view
 * after {@value #SILENCE_MILLIS} ms, so that pauses of some seconds change nothing.
 */
public final class GroupChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupChannel.class);

    static final long SILENCE_MILLIS = 8_000;
    static final long VERIFY_MILLIS = 500;
    private static final long HEARTBEAT_MILLIS = 2_000;
    private static final long JOIN_MILLIS = 1_000;
    private static final int JOIN_ATTEMPTS = 8;

    /** If all members start at once, the first of them forms the group within this, and the others join it then. */
    private static final int COORDINATOR_MILLIS = 500;

    private static final long START_MILLIS = 40_000;
    /** A killed member's old incarnation stays in the view for a moment; its successor waits for that. */
    private static final long SAME_ID_PATIENCE_MILLIS = 12_000;

    private static final long FLOW_CREDITS = 8L << 20;
    private static final int FRAGMENT_BYTES = 60_000;
    private static final byte[] NOTHING = {};

    /** Receives the channel's events. Calls come from JGroups' threads and must not block. */
    public interface Listener {

        /** Bytes {@code offset} to {@code offset + length} of {@code data} are the message; they may be kept. */
        void onMessage(String member, byte kind, byte[] data, int offset, int length);

        /** The members that can be reached now, this one included, the coordinator first. */
        void onView(List<String> members);

        /** Another process has this member's id and keeps it: this one must not take part any more. */
        void onTwin();

        /** The virtual machine lacks memory or threads for the members' connections. The listener ends the member. */
        void onFatal(VirtualMachineError error);
    }

    private final ReplicaSettings settings;
    private final Listener listener;
    private final JChannel channel;
    private final MulticastCredits credits;

    /** The members that are looked for. The thread that makes it; then that of {@link #lookFor}. */
    private final Map<Member, PhysicalAddress> hosts = new LinkedHashMap<>();

    private volatile Map<String, Address> addresses = Map.of();

    /**
     * Builds the channel and binds nothing yet.
     *
     * @param top the protocols that go above membership and flow control, lowest first
     */
    public GroupChannel(ReplicaSettings settings, List<Protocol> top, Listener listener) {
        this.settings = settings;
        this.listener = listener;
        try {
            resolve(settings.members());
            channel = new JChannel(stack(settings, top, listener, hosts.values()));
            // It exists from here on, enabled; it opens its port when the channel connects.
            channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
        } catch (OrderedLogException e) {
            throw e;
        } catch (Exception e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot set up the group channel of member " + settings.id() + ": " + e, e);
        }
        credits = protocol(MulticastCredits.class);
        byte[] id = settings.id().getBytes(StandardCharsets.UTF_8);
        channel.setName(settings.id());
        channel.setDiscardOwnMessages(false);
        channel.addAddressGenerator(() -> ExtendedUUID.randomUUID(settings.id()).put(RAFT.raft_id_key, id));
        channel.setReceiver(new Incoming());
    }

    /**
     * Joins the group, or forms one of this member alone if no other answers.
     *
     * @param beforeRetry called when the protocols have been stopped and will be started once more
     * @throws OrderedLogException when it cannot; one line
     */
    public void connect(Runnable beforeRetry) {
        checkPort();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SAME_ID_PATIENCE_MILLIS);
        while (true) {
            try {
                connectOnce();
                return;
            } catch (SecurityException e) {
                // A member with this id is in the view; NoDuplicateIds.
                if (System.nanoTime() - deadline > 0) {
                    throw sameId(settings);
                }
                pause(200);
                beforeRetry.run();
            }
        }
    }

    /** The error for the operator of a process with an id that another process has. */
    public static OrderedLogException sameId(ReplicaSettings settings) {
        return new OrderedLogException(
                Fault.USER,
                "another process is already member '" + settings.id() + "' of group '" + settings.group()
                        + "'; stop it, or start this one with another --id");
    }

    /** The error of a member whose virtual machine lacks memory or threads. */
    public static OrderedLogException broken(ReplicaSettings settings, VirtualMachineError error) {
        return new OrderedLogException(
                Fault.ENVIRONMENT,
                "member " + settings.id() + " of group '" + settings.group() + "' cannot serve its order port: " + error
                        + "; start it again, with more memory or threads if this repeats",
                error);
    }

    /**
     * From now on these members are looked for, and no others: a member that was removed may live on in another group under this name, as
     * after {@code amo recover}. One thread at a time.
     */
    public void lookFor(List<Member> members) {
        hosts.keySet().retainAll(members);
        resolve(members);
        Collection<PhysicalAddress> found = protocol(MemberDiscovery.class).getInitialHosts();
        found.retainAll(hosts.values());
        hosts.values().stream().filter(host -> !found.contains(host)).forEach(found::add);
    }

    /** Those that are known already keep their addresses: a name service may fail later. */
    private void resolve(List<Member> members) {
        for (Member member : members) {
            if (hosts.containsKey(member)) {
                continue;
            }
            try {
                hosts.put(member, new IpAddress(InetAddress.getByName(member.host()), member.orderPort()));
            } catch (UnknownHostException e) {
                LOG.warn("host {} of member {} is unknown; this member cannot reach it", member.host(), member.id());
            }
        }
    }

    /** The id that a member's address carries. */
    public static String idOf(Address address) {
        byte[] id = address instanceof ExtendedUUID uuid ? uuid.get(RAFT.raft_id_key) : null;
        return id == null ? "" : new String(id, StandardCharsets.UTF_8);
    }

    Set<String> reachable() {
        return addresses.keySet();
    }

    public boolean isSelf(Address address) {
        return address.equals(channel.getAddress());
    }

    /**
     * Sends to one member, outside any order.
     *
     * @return false if it certainly was not sent
     */
    public boolean send(String member, byte kind, byte[] head, byte[] body, Message.Flag... flags) {
        return send(member, kind, head, body, NOTHING, flags);
    }

    /** The same in three parts. They are copied once. */
    public boolean send(String member, byte kind, byte[] head, byte[] body, byte[] tail, Message.Flag... flags) {
        Address to = addresses.get(member);
        if (to == null) {
            return false;
        }
        try {
            channel.send(message(to, kind, head, body, tail).setFlag(flags));
            return true;
        } catch (IllegalStateException e) {
            return false; // not connected
        } catch (Exception e) {
            LOG.debug("sending to {} failed", member, e);
            return true; // perhaps it left
        }
    }

    /** Sends to all members, this one included. */
    public boolean multicast(byte kind, byte[] head, byte[] body, Message.Flag... flags) {
        try {
            channel.send(message(null, kind, head, body, NOTHING).setFlag(flags));
            return true;
        } catch (IllegalStateException e) {
            return false;
        } catch (Exception e) {
            LOG.debug("sending to all failed", e);
            return true;
        }
    }

    /** Whether a message of so many bytes to all members waits for none of them. Exact for the one thread that sends to all. */
    public boolean sendsToAllAtOnce(long bytes) {
        return credits.hasRoomFor(bytes);
    }

    boolean isConnected() {
        return channel.isConnected();
    }

    <T extends Protocol> T protocol(Class<T> type) {
        return channel.getProtocolStack().findProtocol(type);
    }

    @Override
    public void close() {
        channel.close();
    }

    private static Message message(
            @org.jspecify.annotations.Nullable Address to, byte kind, byte[] head, byte[] body, byte[] tail) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + head.length + body.length + tail.length);
        bytes.put(kind).put(head).put(body).put(tail);
        return new BytesMessage(to, bytes.array());
    }

    private void connectOnce() {
        FutureTask<Boolean> connecting = new FutureTask<>(() -> {
            channel.connect(settings.group());
            return true;
        });
        DaemonThreads.start("amo-join-" + settings.id(), connecting);
        try {
            connecting.get(START_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            close();
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "member " + settings.id() + " could not join group '" + settings.group() + "' within "
                            + START_MILLIS / 1000 + " s; check that the members reach each other: "
                            + Member.format(settings.members()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "interrupted while member " + settings.id() + " joined; start it again", e);
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        }
    }

    private RuntimeException failure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SecurityException refused) {
                return refused;
            }
            if (cause instanceof OrderedLogException said) {
                close();
                return said;
            }
            if (cause instanceof BindException) {
                close();
                return portTaken(cause);
            }
        }
        close();
        return new OrderedLogException(
                Fault.ENVIRONMENT,
                "member " + settings.id() + " could not join group '" + settings.group() + "': " + failure,
                failure);
    }

    private OrderedLogException portTaken(Throwable cause) {
        Member self = settings.self();
        return new OrderedLogException(
                Fault.ENVIRONMENT,
                "port " + self.orderPort() + " is in use on " + self.host() + " (member " + self.id()
                        + "); stop the program that uses it or give the member another port in --members",
                cause);
    }

    private void checkPort() {
        Member self = settings.self();
        InetAddress address = ownAddress(self);
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(address, self.orderPort()));
        } catch (BindException e) {
            String said = String.valueOf(e.getMessage());
            if (said.contains("assign")) {
                throw new OrderedLogException(
                        Fault.USER,
                        "host " + self.host() + " of member " + self.id()
                                + " is no address of this machine; correct --members or --id",
                        e);
            }
            throw portTaken(e);
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot open port " + self.orderPort() + " on " + self.host() + ": " + e, e);
        }
    }

    private static InetAddress ownAddress(Member self) {
        try {
            return InetAddress.getByName(self.host());
        } catch (UnknownHostException e) {
            // After a power cut the name service may come later than this process.
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "host " + self.host() + " of member " + self.id()
                            + " is unknown; correct --members, or wait for the name service",
                    e);
        }
    }

    private static List<Protocol> stack(
            ReplicaSettings settings, List<Protocol> top, Listener listener, Collection<PhysicalAddress> hosts) {
        Member self = settings.self();
        TCP tcp = transport(settings, listener);
        tcp.setBindAddr(ownAddress(self)).setBindPort(self.orderPort()).setPortRange(0);
        tcp.tcpNodelay(true).enableSuspectEvents(true).logDetails(false).setSockConnTimeout(1_000);
        tcp.setThreadFactory(new GroupThreads(self.id()));
        tcp.setBundler(new PeerBundler());
        if (top.stream().anyMatch(RAFT.class::isInstance)) {
            tcp.setMessageProcessingPolicy(ReaderDelivery.class.getName());
        }
        tcp.getThreadPool().setMaxThreads(100).setKeepAliveTime(30_000);
        List<Protocol> stack = new ArrayList<>(List.of(
                tcp,
                new MemberDiscovery(
                        new IpAddress(ownAddress(self), self.orderPort()),
                        // Discovery reads it while members are added.
                        new CopyOnWriteArrayList<>(hosts)),
                new MERGE3().setMinInterval(300).setMaxInterval(1_000),
                new FD_ALL3().setTimeout(SILENCE_MILLIS).setInterval(HEARTBEAT_MILLIS),
                new VERIFY_SUSPECT2().setTimeout(VERIFY_MILLIS),
                new NAKACK2().useMcastXmit(false).setXmitInterval(200),
                new UNICAST3().setXmitInterval(200),
                new STABLE().setDesiredAverageGossip(5_000).setMaxBytes(4L << 20),
                new NoDuplicateIds(),
                new GMS()
                        .setJoinTimeout(JOIN_MILLIS)
                        .setMaxJoinAttempts(JOIN_ATTEMPTS)
                        .setLeaveTimeout(1_000)
                        .printLocalAddress(false)
                        .logViewWarnings(false)
                        .logCollectMessages(false)
                        .setValue("all_clients_retry_timeout", COORDINATOR_MILLIS),
                new UFC().setMaxCredits(FLOW_CREDITS),
                new MulticastCredits().setMaxCredits(FLOW_CREDITS),
                new FRAG4().setFragSize(FRAGMENT_BYTES)));
        stack.addAll(top);
        return stack;
    }

    /** Protected by TLS, or by the secret, or by nothing where the user said so. */
    private static TCP transport(ReplicaSettings settings, Listener listener) {
        ThreadFactory threads = DaemonThreads.factory("amo-" + settings.self().id() + "-greeting");
        if (settings.tls().isPresent()) {
            Supplier<SSLContext> contexts = contexts(settings.tls().get(), settings.group());
            return over(new TCP(), new TlsSockets(contexts, threads, listener::onFatal));
        }
        if (settings.secrets().isPresent()) {
            SealedTcp tcp = new SealedTcp(
                    new FrameSeal(settings.group(), settings.secrets().get()));
            OrderDoor door = new OrderDoor(tcp::proves);
            return over(tcp, new GreetedSockets(threads, listener::onFatal, Optional.of(door)));
        }
        return over(new TCP(), new GreetedSockets(threads, listener::onFatal, Optional.empty()));
    }

    private static TCP over(TCP tcp, SocketFactory sockets) {
        tcp.setSocketFactory(sockets);
        return tcp;
    }

    private static Supplier<SSLContext> contexts(TlsFiles files, String group) {
        try {
            return new ReloadedContext(
                    List.of(files.keyStore(), files.trustStore()),
                    () -> KeyStores.context(
                            KeyStores.keys(files.keyStore(), files.keyPassword()),
                            KeyStores.ofGroup(KeyStores.trusted(files.trustStore(), files.trustPassword()), group)));
        } catch (IllegalArgumentException e) {
            throw new OrderedLogException(Fault.USER, String.valueOf(e.getMessage()), e);
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Joins are refused to an id that is taken, but not merges: two processes with one id that did not find
     * each other at first come together by one. The one that more others stood by keeps the id.
     */
    private boolean hasElderTwin(View view) {
        Address self = channel.getAddress();
        for (Address other : view.getMembersRaw()) {
            if (!other.equals(self) && idOf(other).equals(settings.id())) {
                int mine = companions(view, self);
                int theirs = companions(view, other);
                List<Address> order = view.getMembers();
                return theirs > mine || (theirs == mine && order.indexOf(other) < order.indexOf(self));
            }
        }
        return false;
    }

    private static int companions(View view, Address of) {
        if (view instanceof MergeView merge) {
            for (View part : merge.getSubgroups()) {
                if (part.containsMember(of)) {
                    return part.size();
                }
            }
        }
        return 0;
    }

    private final class Incoming implements Receiver {

        @Override
        public void receive(Message message) {
            byte[] data = message.getArray();
            int length = message.getLength();
            if (data == null || length < 1) {
                return;
            }
            int offset = message.getOffset();
            listener.onMessage(idOf(message.getSrc()), data[offset], data, offset + 1, length - 1);
        }

        @Override
        public void viewAccepted(View view) {
            if (hasElderTwin(view)) {
                listener.onTwin();
                return;
            }
            Map<String, Address> present = new LinkedHashMap<>();
            for (Address address : view.getMembersRaw()) {
                present.putIfAbsent(idOf(address), address);
            }
            addresses = present;
            listener.onView(List.copyOf(present.keySet()));
        }
    }
}
