package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.exon.ExonCodec.Header;

/** The other end of a connection, played by a test: it sends the frames that the test names, and reads those that it gets. */
final class ScriptedPeer {
    private final NodeId near;
    private final Session session;

    /** @param near the node under test */
    ScriptedPeer(NodeId self, long incarnation, NodeId near, byte[] secret) {
        this.near = near;
        this.session = new Session(self, incarnation, near, Seal.ofKey(secret), 7, 1);
    }

    /** A datagram with these frames, which name both nodes in full. */
    byte[] datagram(Frame... frames) {
        WireWriter writer = session.begin(ExonCodec.MAX_DATAGRAM, true);
        for (Frame frame : frames) {
            ExonCodec.writeFrame(frame, session.numbers(), writer);
        }
        return session.end(writer);
    }

    /** The frames of a datagram of the node under test; its seal is checked. */
    List<Frame> read(byte[] datagram, Address from, long nowMicros) {
        WireReader reader = new WireReader("test", datagram, 0, datagram.length - Seal.BYTES);
        Header header = ExonCodec.readHeader(reader);
        if (header.named()) {
            assertEquals(near, header.from());
            assertTrue(session.verify(header, datagram, datagram.length), "a seal");
            if (header.incarnation() > session.peerIncarnation()) {
                session.newLife(header.incarnation());
            }
        } else {
            assertTrue(session.verify(header, datagram, datagram.length), "a seal");
        }
        session.onHeard(header, from, nowMicros);
        return new ArrayList<>(ExonCodec.readFrames(reader, session.numbersOf(header)));
    }
}
