package org.amo.interceptors.jacorb;

import java.util.Optional;
import org.amo.interceptors.NestedReply;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jacorb.orb.CodeSet;
import org.jacorb.orb.giop.ClientConnection;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.RequestListener;
import org.omg.ETF.Profile;

/**
 * A connection to nothing, which answers each request by the reply that was put before it. Stubs marshal their arguments for it
 * in the code sets of the real connection. Any thread.
 */
final class GatewayConnection extends GIOPConnection {
    /** Nothing is read from it. */
    private static final RequestListener NO_REQUESTS = new RequestListener() {
        @Override
        public void requestReceived(byte[] request, GIOPConnection connection) {
            // Never.
        }

        @Override
        public void locateRequestReceived(byte[] request, GIOPConnection connection) {
            // Never.
        }

        @Override
        public void cancelRequestReceived(byte[] request, GIOPConnection connection) {
            // Never.
        }
    };

    private final GatewayTransport gateway;
    private final CodeSet charSet;
    private final CodeSet wcharSet;

    private GatewayConnection(Profile profile, GatewayTransport gateway, CodeSet charSet, CodeSet wcharSet) {
        super(profile, gateway, NO_REQUESTS, null, null);
        this.gateway = gateway;
        this.charSet = charSet;
        this.wcharSet = wcharSet;
    }

    /** One whose stubs write characters as they would for the given connection. */
    static GatewayConnection like(GIOPConnection real, Profile profile, Configuration configuration)
            throws ConfigurationException {
        GatewayConnection made =
                new GatewayConnection(profile, new GatewayTransport(profile), real.getTCS(), real.getTCSW());
        made.configure(configuration);
        made.agreedCodeSets();
        return made;
    }

    private void agreedCodeSets() {
        setCodeSets(charSet, wcharSet);
        markTCSNegotiated();
    }

    /** Whether it was closed, and the ORB has forgotten it. */
    boolean isOver() {
        return do_close;
    }

    /** The reply to the next request of the calling thread; empty if the thread will await none. */
    void answerNext(ClientConnection connection, int requestId, Optional<NestedReply> reply) {
        gateway.answerNext(reply.map(known -> () -> answer(connection, requestId, known)));
    }

    /** JacORB makes the reply's stream at once, and gives it the code sets of the connection. */
    private void answer(ClientConnection connection, int requestId, NestedReply reply) {
        byte[] message = GiopReply.message(requestId, reply);
        if (reply.reply().body().length > 0) {
            setCodeSets(CodeSet.getCodeSet(reply.charCodeSet()), CodeSet.getCodeSet(reply.wcharCodeSet()));
        }
        try {
            connection.replyReceived(message, this);
        } finally {
            setCodeSets(charSet, wcharSet);
        }
    }

    @Override
    protected void readTimedOut() {
        // Nothing is read.
    }

    @Override
    protected void streamClosed() {
        // There is no stream.
    }
}
