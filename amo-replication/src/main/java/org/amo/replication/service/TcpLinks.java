package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.client.Delivery;
import org.amo.core.client.GroupClient;
import org.amo.core.order.Member;
import org.amo.core.replica.Administration;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.rpc.DatagramCalls;
import org.amo.replication.rpc.RpcConnection;
import org.amo.replication.rpc.RpcKey;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcRefusal;
import org.amo.replication.rpc.RpcTls;
import org.amo.replication.rpc.RpcTransport;

/**
 * Over TCP, one connection a member, opened when it is needed; and by datagrams, if the client was told to. The transport's thread
 * owns it.
 */
final class TcpLinks implements MemberLinks {
    /** What an attempt takes beside its body: acknowledgements of 2,000 ranges are most of it. */
    static final long CONTEXT_BYTES = 8 << 10;

    private final RpcTransport transport;
    private final ClientId client;
    private final String group;
    private final Optional<RpcKey> key;
    private final Optional<RpcTls> tls;
    private final long mostUnsentBytes;
    private final Delivery delivery;
    private final List<RpcPeer> peers = new ArrayList<>();
    private final List<Optional<RpcConnection>> connections = new ArrayList<>();
    private final Set<RpcConnection> unflushed = new LinkedHashSet<>();
    private final GroupClient.Datagrams datagrams;

    /** Opened with the first one. */
    private Optional<DatagramCalls> datagramCalls = Optional.empty();

    /** @param mostUnsentBytes of all calls that may be under way: bytes beyond them belong to calls that are over */
    TcpLinks(
            RpcTransport transport,
            ClientId client,
            String group,
            List<Member> members,
            Optional<RpcKey> key,
            Optional<RpcTls> tls,
            boolean mayRepeat,
            GroupClient.Datagrams datagrams,
            long mostUnsentBytes) {
        this.transport = transport;
        this.client = client;
        this.group = group;
        this.key = key;
        this.tls = tls;
        this.datagrams = datagrams;
        this.mostUnsentBytes = mostUnsentBytes;
        // With a secret every frame is sealed under its number on its connection: nothing between can repeat one.
        this.delivery = key.isEmpty() && mayRepeat ? Delivery.MAY_REPEAT : Delivery.AT_MOST_ONCE;
        members.forEach(member -> place(peers.size(), member));
    }

    @Override
    public void place(int number, Member member) {
        RpcPeer peer = new RpcPeer(member.host(), member.clientPort(), group, key, tls);
        if (number == peers.size()) {
            peers.add(peer);
            connections.add(Optional.empty());
        } else {
            peers.set(number, peer);
            datagramCalls.ifPresent(calls -> calls.leave(number));
        }
    }

    @Override
    public Delivery delivery() {
        return delivery;
    }

    @Override
    public void connect(int member, Events events) {
        // Not now: a connection that fails at once would tell so within this call.
        transport.loop().execute(() -> {
            RpcPeer peer = peers.get(member);
            try {
                RpcConnection made = RpcConnection.open(transport, peer, new Listener(member, events));
                connections.set(member, Optional.of(made));
            } catch (RuntimeException | Error e) {
                // A connection of which no end is told would never be opened again.
                events.onDisconnected(member, false, peer + ": " + e);
                throw e;
            }
        });
    }

    /** If bytes of calls that are over fill a connection, it ends: the others' attempts are lost, and leave over a new one. */
    private RpcConnection writing(int member) {
        RpcConnection to = connections.get(member).orElseThrow();
        if (to.unsentBytes() > mostUnsentBytes) {
            to.abort("it reads too slowly: " + to.unsentBytes() + " bytes wait");
        }
        unflushed.add(to);
        return to;
    }

    @Override
    public void send(int member, Attempt copy, CallPath path) {
        RpcConnection to = writing(member);
        to.send(copy.id().client(), copy, path);
    }

    @Override
    public void acknowledge(int member, FinishedNumbers finished) {
        RpcConnection to = writing(member);
        to.acknowledge(client, finished);
    }

    @Override
    public GroupClient.Datagrams datagrams() {
        return datagrams;
    }

    @Override
    public void sendDatagram(int member, Attempt copy, Events events) {
        DatagramCalls calls = datagramCalls.orElseGet(
                () -> new DatagramCalls(transport, client, group, key, new DatagramListener(events)));
        datagramCalls = Optional.of(calls);
        calls.send(member, peers.get(member), copy);
    }

    @Override
    public void acknowledgeByDatagram(int member, long timestampMillis, FinishedNumbers finished) {
        datagramCalls.ifPresent(calls -> calls.acknowledge(member, peers.get(member), timestampMillis, finished));
    }

    @Override
    public void ask(int member, byte[] question, Consumer<Optional<byte[]>> answer) {
        RpcConnection to = writing(member);
        to.ask(question, answer);
    }

    @Override
    public void takesReads(int member, Consumer<Boolean> answer) {
        RpcConnection to = writing(member);
        to.takesReads(answer);
    }

    @Override
    public void read(int member, Read read, Consumer<Optional<ReadAnswer>> answer) {
        RpcConnection to = writing(member);
        to.read(read, answer);
    }

    @Override
    public void flush() {
        // One that fails ends, and must not keep the others from their turn in the next batch.
        for (Iterator<RpcConnection> left = unflushed.iterator(); left.hasNext(); ) {
            RpcConnection next = left.next();
            left.remove();
            next.flush();
        }
    }

    @Override
    public void close() {
        List.copyOf(connections).forEach(connection -> connection.ifPresent(RpcConnection::close));
        datagramCalls.ifPresent(DatagramCalls::close);
    }

    /** Passes the events of datagrams on. */
    private record DatagramListener(Events events) implements DatagramCalls.Listener {
        @Override
        public void onAnswer(int member, long copy, Answer answer) {
            events.onAnswer(member, copy, answer);
        }

        @Override
        public void onTurnedAway(int member, long copy, boolean stays) {
            events.onDatagramTurnedAway(member, copy, stays);
        }

        @Override
        public void onRefused(int member) {
            events.onDatagramsRefused(member);
        }

        @Override
        public void onBatchEnd() {
            events.onBatchEnd();
        }
    }

    private final class Listener implements RpcConnection.Listener {
        private final int member;
        private final Events events;

        Listener(int member, Events events) {
            this.member = member;
            this.events = events;
        }

        @Override
        public void onConnected(long upperMillis) {
            events.onConnected(member, upperMillis);
        }

        @Override
        public void onAnswer(long copy, Answer answer) {
            events.onAnswer(member, copy, answer);
        }

        @Override
        public void onLeader(String leader) {
            events.onLeader(leader);
            // A member tells its leader at first, when another one leads, and when the members change.
            writing(member).operate(Administration.MEMBERS, "", this::onMembers);
        }

        private void onMembers(Optional<byte[]> answer) {
            try {
                answer.flatMap(text -> Administration.readMembers(new String(text, UTF_8)))
                        .ifPresent(known -> {
                            events.onMembers(known.members());
                            events.onLeader(known.leader());
                        });
            } catch (IllegalArgumentException e) {
                // A list of another version of amo changes nothing: the known members serve on.
                return;
            }
        }

        @Override
        public void onDraining() {
            events.onDraining(member);
        }

        @Override
        public void onBatchEnd() {
            events.onBatchEnd();
        }

        @Override
        public void onDisconnected(RpcRefusal why) {
            connections.get(member).ifPresent(unflushed::remove);
            connections.set(member, Optional.empty());
            events.onDisconnected(member, why.lasting(), why.why());
        }
    }
}
