package org.amo.replication.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.client.Delivery;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** To members in the same process, without sockets. The client's thread owns it. */
final class LocalLinks implements MemberLinks {
    private final EmbeddedGroup group;
    private final ScheduledExecutorService owner;
    private final ClientId client;
    private final List<Optional<Line>> lines = new ArrayList<>();
    private boolean closed;

    /** A connection to one life of one member. */
    private record Line(ReplicatedService service, Events events) {}

    LocalLinks(EmbeddedGroup group, ScheduledExecutorService owner, ClientId client) {
        this.group = group;
        this.owner = owner;
        this.client = client;
        group.members().forEach(member -> lines.add(Optional.empty()));
    }

    @Override
    public boolean tellsLeader() {
        return false;
    }

    @Override
    public Delivery delivery() {
        return Delivery.AT_MOST_ONCE;
    }

    @Override
    public void connect(int member, Events events) {
        owner.execute(() -> {
            Optional<ReplicatedService> service = group.service(group.members().get(member));
            if (closed || service.isEmpty()) {
                events.onDisconnected(member, false, "member " + group.members().get(member) + " is down");
            } else {
                lines.set(member, Optional.of(new Line(service.get(), events)));
                ReplicaStatus status = service.get().status();
                events.onConnected(member, status.orderedTimeMillis() == 0 ? Answer.NO_BOUND : status.upperMillis());
            }
        });
    }

    /** No event tells of new members. */
    @Override
    public void place(int number, Member member) {
        throw new IllegalStateException("the members of an embedded group do not change: " + member);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // another connection to the same service is another one
    public void send(int member, Attempt copy, CallPath path) {
        Line line = lines.get(member).orElseThrow();
        Request request = new Request(
                copy.id(),
                copy.timestampMillis(),
                copy.deadlineMillis(),
                Payloads.fingerprint(copy.body()),
                copy.oneway(),
                copy.body().clone(),
                path);
        line.service()
                .submit(
                        request,
                        copy.finished(),
                        answer -> owner.execute(() -> {
                            // A member that has crashed since then answers no client.
                            if (lines.get(member).isPresent()
                                    && lines.get(member).get() == line) {
                                try {
                                    line.events().onAnswer(member, copy.copy(), answer);
                                } finally {
                                    line.events().onBatchEnd();
                                }
                            }
                        }));
    }

    @Override
    public void acknowledge(int member, FinishedNumbers finished) {
        lines.get(member).orElseThrow().service().acknowledge(client, finished);
    }

    /** Members of an embedded group answer no questions. */
    @Override
    public void ask(int member, byte[] question, Consumer<Optional<byte[]>> answer) {
        answer.accept(Optional.empty());
    }

    @Override
    public void takesReads(int member, Consumer<Boolean> answer) {
        answer.accept(true);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // as above
    public void read(int member, Read read, Consumer<Optional<ReadAnswer>> answer) {
        Line line = lines.get(member).orElseThrow();
        Consumer<ReadAnswer> listener = result -> owner.execute(() -> {
            boolean same = lines.get(member).isPresent() && lines.get(member).get() == line;
            answer.accept(same ? Optional.of(result) : Optional.empty());
            line.events().onBatchEnd();
        });
        line.service()
                .read(new Read(read.body().clone(), read.mostAgeMillis(), read.after(), read.leftMillis(), listener));
    }

    @Override
    public void flush() {
        // Nothing waits.
    }

    @Override
    public void close() {
        closed = true;
    }

    /** That member is gone. Any thread. */
    void crashed(int member) {
        owner.execute(() -> {
            Optional<Line> line = lines.set(member, Optional.empty());
            line.ifPresent(gone -> gone.events().onDisconnected(member, false, "member " + member + " crashed"));
        });
    }
}
