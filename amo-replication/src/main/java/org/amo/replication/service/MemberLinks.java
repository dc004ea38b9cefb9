package org.amo.replication.service;

import java.util.Optional;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.core.client.Attempt;
import org.amo.core.client.Delivery;
import org.amo.core.client.GroupClient;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;

/** The ways from one client to the members, numbered from 0. The client's thread makes all calls, and hears all events. */
interface MemberLinks {

    /** Hears the events of the connections. */
    interface Events {
        /** Attempts can be sent; timestamps up to {@code upperMillis} are refused. */
        void onConnected(int member, long upperMillis);

        void onAnswer(int member, long copy, Answer answer);

        void onLeader(String member);

        /** The group has these members, says one of them. */
        void onMembers(GroupMembers members);

        void onDraining(int member);

        /**
         * The member has an attempt that came as a datagram, and sends no answer by one.
         *
         * @param stays whether it answers over a connection
         */
        default void onDatagramTurnedAway(int member, long copy, boolean stays) {}

        /** No process takes datagrams there, as it seems. */
        default void onDatagramsRefused(int member) {}

        /** All that was there has been told. */
        void onBatchEnd();

        /**
         * There is no connection, or none any more.
         *
         * @param lasting it is of no use to try again
         * @param why one line
         */
        void onDisconnected(int member, boolean lasting, String why);
    }

    /** Whether {@link Events#onLeader} tells of leaders, and of their absence. */
    default boolean tellsLeader() {
        return true;
    }

    /** How often an attempt that leaves over them may arrive. */
    Delivery delivery();

    void connect(int member, Events events);

    /** From now on, the connections of this number go to that member. There is none now, or the number is the next one. */
    void place(int number, Member member);

    /** @param path the groups that wait for the reply */
    void send(int member, Attempt copy, CallPath path);

    void acknowledge(int member, FinishedNumbers finished);

    /** Which attempts leave as datagrams, if they fit. */
    default GroupClient.Datagrams datagrams() {
        return GroupClient.Datagrams.NEVER;
    }

    /** Sends an attempt without a connection, of a body that fits a datagram. */
    default void sendDatagram(int member, Attempt copy, Events events) {
        throw new IllegalStateException("no datagrams leave here: " + copy.id());
    }

    /** Sends acknowledgements without a connection. They may get lost. */
    default void acknowledgeByDatagram(int member, long timestampMillis, FinishedNumbers finished) {}

    /**
     * Asks a connected member a question that it answers by itself.
     *
     * @param answer told once: empty if there is none, or the connection ended before it came
     */
    void ask(int member, byte[] question, Consumer<Optional<byte[]>> answer);

    /**
     * Asks a connected member whether it takes reads.
     *
     * @param answer told once; false, too, if the connection ended before it came
     */
    default void takesReads(int member, Consumer<Boolean> answer) {
        answer.accept(false);
    }

    /**
     * Reads at a connected member that takes reads; the listener of the read is not used.
     *
     * @param answer told once: empty if the connection ended before it came
     */
    default void read(int member, Read read, Consumer<Optional<ReadAnswer>> answer) {
        throw new UnsupportedOperationException("no member takes reads over these links");
    }

    /** Lets everything leave that was sent. */
    void flush();

    /** Lets everything leave, and ends. */
    void close();
}
