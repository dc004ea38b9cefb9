package org.amo.interceptors.client;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.jacorb.MemberAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This client's view of one group: its session, its members and the serving member. All threads of the ORB share it.
 * Its own monitor guards it, the session and the session's calls, and is never held while something waits.
 */
final class ReplicatedGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedGroup.class);

    private final ClientSession session;
    private final FtContexts contexts;
    private final boolean sack;
    private final Optional<String> firstMember;
    private final List<ClientSettings.NamedMember> named;

    /** As references, or the settings, have them. */
    private List<MemberAddress> published = List.of();

    private List<MemberAddress> members = List.of();
    private int version;
    private int serving;
    private boolean known;
    private long redirects;

    private boolean called;

    private @Nullable LastTarget lastTarget;

    /** While no attempt has left over a connection. */
    private @Nullable Acknowledgements byDatagram;

    /** Sends acknowledgements alone without a connection. They may get lost. */
    @FunctionalInterface
    interface Acknowledgements {
        /** @param timestampMillis by which members tell a late one */
        void send(long timestampMillis, FinishedNumbers finished);
    }

    /** The target of a flush: the object last called. */
    record LastTarget(org.omg.CORBA.Object object, byte[] objectKey) {}

    ReplicatedGroup(ClientId client, ClientSettings settings) {
        this.session =
                new ClientSession(client, settings.pathMayRepeat() ? Delivery.MAY_REPEAT : Delivery.AT_MOST_ONCE);
        this.contexts = new FtContexts(client);
        this.sack = settings.sack();
        this.firstMember = settings.firstMember();
        this.named = settings.members();
    }

    ClientSession session() {
        return session;
    }

    // ---- members

    /** A reference told this list. The newest version counts, and of one version the longest list. */
    synchronized void learn(List<MemberAddress> addresses, int referenceVersion) {
        // Serial arithmetic: the version is an unsigned long of CORBA and may wrap.
        int newer = referenceVersion - version;
        if (known && newer <= 0 && (newer < 0 || addresses.size() <= members.size())) {
            return;
        }
        published = List.copyOf(addresses);
        take(published, referenceVersion);
    }

    /**
     * A member told the present members. Published addresses stay behind them: the client may reach a member there that calls itself by
     * another address.
     *
     * @param changes of members so far
     */
    synchronized void hear(List<MemberAddress> present, long changes) {
        int told = (int) (GroupTag.FIRST_VERSION + changes);
        if (told - version > 0) {
            Set<MemberAddress> all = new LinkedHashSet<>(present);
            all.addAll(published);
            take(List.copyOf(all), told);
        }
    }

    private void take(List<MemberAddress> taken, int takenVersion) {
        Optional<MemberAddress> before = known ? Optional.of(members.get(serving)) : Optional.empty();
        members = taken;
        version = takenVersion;
        serving = before.map(members::indexOf).filter(index -> index >= 0).orElseGet(this::choose);
        known = true;
    }

    /** The member to send to. */
    synchronized MemberAddress serving() {
        return members.get(serving);
    }

    synchronized int memberCount() {
        return members.size();
    }

    /** This member failed us: another serves from now on, for all threads, unless one of them has moved on already. */
    synchronized void leave(MemberAddress failed) {
        if (members.get(serving).equals(failed)) {
            serving = (serving + 1) % members.size();
            redirects++;
        }
    }

    /** Clients spread over the members by their ids. */
    private int choose() {
        if (firstMember.isPresent()) {
            Optional<Integer> wanted = indexOf(firstMember.get());
            if (wanted.isPresent()) {
                return wanted.get();
            }
            LOG.warn(
                    "amo.firstMember={} is neither an index of a member nor an id in amo.members; another member is chosen",
                    firstMember.get());
        }
        ClientId id = session.id();
        return Math.floorMod(Long.hashCode(id.high() ^ id.low()), members.size());
    }

    private Optional<Integer> indexOf(String wanted) {
        for (ClientSettings.NamedMember member : named) {
            if (member.id().equals(wanted)) {
                int index = members.indexOf(member.address());
                return index < 0 ? Optional.empty() : Optional.of(index);
            }
        }
        try {
            int index = Integer.parseInt(wanted);
            return index >= 0 && index < members.size() ? Optional.of(index) : Optional.empty();
        } catch (NumberFormatException notAnIndex) {
            return Optional.empty();
        }
    }

    // ---- the first call

    /** Whether the calling thread's call is this client's first one to the group. True once. */
    synchronized boolean takeFirstCall() {
        boolean first = !called;
        called = true;
        return first;
    }

    /** The first call was answered by a datagram, and there is no connection: acknowledgements leave in this way, too. */
    synchronized void answeredByDatagram(LastTarget target, Acknowledgements way) {
        lastTarget = target;
        byDatagram = way;
    }

    /** Sends the pending acknowledgements by a datagram. Returns false once an attempt has left over a connection. */
    boolean acknowledgeByDatagram(long nowMillis) {
        Acknowledgements way;
        long timestampMillis;
        FinishedNumbers finished;
        synchronized (this) {
            if (byDatagram == null) {
                return false;
            }
            way = byDatagram;
            // A member has answered: the wall clock is not asked.
            timestampMillis = session.stamp(nowMillis, 0);
            finished = take(nowMillis);
            session.onFlushed();
        }
        way.send(timestampMillis, finished);
        return true;
    }

    // ---- the contexts of requests

    /** The contexts of an attempt. */
    synchronized CopyContexts copy(ClientCall call, long nowMillis) {
        byDatagram = null;
        long number = call.id().number();
        RequestContext.Call shared = new RequestContext.Call(number, call.timestampMillis(), call.deadlineMillis());
        byte[] own = new RequestContext(session.id(), Optional.of(shared), take(nowMillis)).encode();
        return new CopyContexts(own, contexts.request(number, call.deadlineMillis()), FtContexts.groupVersion(version));
    }

    /** The contexts of an attempt of a call that its client, perhaps another one, has numbered before. */
    synchronized CopyContexts repeat(ClientId client, RequestContext.Call call, long nowMillis) {
        boolean own = client.equals(session.id());
        byte[] context =
                new RequestContext(client, Optional.of(call), own ? take(nowMillis) : FinishedNumbers.NONE).encode();
        FtContexts ofClient = own ? contexts : new FtContexts(client);
        return new CopyContexts(
                context, ofClient.request(call.number(), call.deadlineMillis()), FtContexts.groupVersion(version));
    }

    /**
     * The service contexts of one attempt.
     *
     * @param own amo's
     * @param ftRequest FT_REQUEST
     * @param groupVersion FT_GROUP_VERSION
     */
    record CopyContexts(byte[] own, byte[] ftRequest, byte[] groupVersion) {}

    /** The context of a request that carries acknowledgements only. */
    synchronized byte[] flush(long nowMillis) {
        return new RequestContext(session.id(), Optional.empty(), take(nowMillis)).encode();
    }

    private FinishedNumbers take(long nowMillis) {
        return sack ? session.carry(nowMillis) : FinishedNumbers.NONE;
    }

    synchronized void flushFailed(long nowMillis) {
        session.onFlushFailed(nowMillis);
    }

    synchronized void flushArrived() {
        session.onFlushed();
    }

    /** A request without a call was answered. */
    synchronized void heard(Answer answer, long nowMillis) {
        session.onGroupTime(answer.orderedTimeMillis(), answer.upperMillis(), nowMillis);
    }

    /** Whether acknowledgements have waited long enough for a request, and there is an object to send them to. */
    synchronized boolean needsFlush(long nowMillis) {
        return lastTarget != null && isFlushDue(nowMillis);
    }

    /** Whether acknowledgements have waited long enough for a request. */
    synchronized boolean isFlushDue(long nowMillis) {
        return sack && nowMillis >= session.flushAtMillis();
    }

    /** Whether acknowledgements wait, or will. */
    synchronized boolean awaitsCarrier() {
        return sack && (session.hasUnsentFinished() || hasOneways());
    }

    synchronized boolean hasUnsent() {
        return sack && lastTarget != null && session.hasUnsentFinished();
    }

    synchronized void lastTarget(LastTarget target) {
        lastTarget = target;
    }

    synchronized Optional<LastTarget> lastTarget() {
        return Optional.ofNullable(lastTarget);
    }

    synchronized void finishOneways(long nowMillis) {
        session.finishOneways(nowMillis);
    }

    synchronized boolean hasOneways() {
        return session.onewayAtMillis() != Long.MAX_VALUE;
    }

    /** Numbers handed out, and ranges of finished ones above the floor: this client's cost for the group. */
    synchronized Usage usage() {
        return new Usage(session.numbersUsed(), session.finishedRanges());
    }

    record Usage(long numbers, int ranges) {}

    /** How often this client has gone to another member. */
    synchronized long redirects() {
        return redirects;
    }
}
