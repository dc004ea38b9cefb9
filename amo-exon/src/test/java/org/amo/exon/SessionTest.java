package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.base.wire.Seal;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.exon.ExonCodec.Header;
import org.junit.jupiter.api.Test;

/** How two nodes come to short datagrams, and which datagram moves a peer. */
class SessionTest {
    private static final NodeId A = new NodeId(1, 1);
    private static final NodeId B = new NodeId(1, 2);
    private static final Seal SECRET = Seal.ofKey(new byte[] {1});
    private static final Address HERE = new Address() {};
    private static final Address THERE = new Address() {};

    private final Session a = new Session(A, 5, B, SECRET, 100, 1);
    private final Session b = new Session(B, 7, A, SECRET, 200, 1);

    private static byte[] datagram(Session from, boolean silent) {
        return from.end(from.begin(100, silent));
    }

    private static Header header(byte[] datagram) {
        return ExonCodec.readHeader(new WireReader("test", datagram, 0, datagram.length - Seal.BYTES));
    }

    /** As a node does. @return whether the seal was good */
    private static boolean hear(Session session, byte[] datagram, Address from, long now) {
        Header header = header(datagram);
        if (!session.verify(header, datagram, datagram.length)) {
            return false;
        }
        if (header.named() && header.incarnation() > session.peerIncarnation()) {
            session.newLife(header.incarnation());
        }
        session.onHeard(header, from, now);
        return true;
    }

    private void meet() {
        hear(b, datagram(a, false), HERE, 10);
        hear(a, datagram(b, false), THERE, 20);
        hear(b, datagram(a, false), HERE, 30);
    }

    @Test
    void bothAreNamedUntilEachHasHeardTheOthersHandle() {
        byte[] first = datagram(a, false);
        assertTrue(header(first).named());
        assertEquals(0, header(first).echo());
        assertEquals(100, header(first).handle());
        assertTrue(hear(b, first, HERE, 10));
        byte[] answer = datagram(b, false);
        assertTrue(header(answer).named(), "a may not know this handle yet");
        assertEquals(100, header(answer).echo());
        assertTrue(hear(a, answer, THERE, 20));
        byte[] second = datagram(a, false);
        assertFalse(header(second).named(), "b has echoed the handle");
        assertEquals(200, header(second).handle());
        assertTrue(hear(b, second, HERE, 30));
        assertFalse(header(datagram(b, false)).named(), "a used the short form");
        assertTrue(header(datagram(b, true)).named(), "after silence it may have forgotten the handle");
    }

    @Test
    void datagramsAreNumbered() {
        assertEquals(1, a.nextPacket());
        assertEquals(1, header(datagram(a, false)).packet());
        assertEquals(2, header(datagram(a, false)).packet());
        assertEquals(3, a.nextPacket());
    }

    @Test
    void aSealIsGoodForOneLife() {
        meet();
        byte[] named = datagram(a, true);
        byte[] brief = datagram(a, false);
        named[named.length - 1] ^= 1;
        assertFalse(b.verify(header(named), named, named.length), "of the present life, and a bit changed");
        named[named.length - 1] ^= 1;
        Session other = new Session(A, 6, B, SECRET, 100, 1);
        byte[] later = datagram(other, false);
        assertTrue(hear(b, later, HERE, 40));
        assertEquals(6, b.peerIncarnation());
        assertFalse(b.verify(header(brief), brief, brief.length), "of the life before");
        assertTrue(b.verify(header(named), named, named.length), "it is the peer's, and names that life");
        named[named.length - 1] ^= 1;
        assertFalse(b.verify(header(named), named, named.length));
    }

    @Test
    void beforeTheFirstNamedDatagramNoShortOneIsGood() {
        meet();
        byte[] brief = datagram(a, false);
        Session fresh = new Session(B, 7, A, SECRET, 200, 1);
        assertFalse(fresh.verify(header(brief), brief, brief.length));
    }

    /** An old datagram can be a replay: it moves nobody. */
    @Test
    void onlyTheNewestDatagramMovesThePeer() {
        assertNull(b.address());
        byte[] first = datagram(a, false);
        byte[] second = datagram(a, false);
        hear(b, second, HERE, 10);
        assertEquals(2, b.highestPacket());
        hear(b, first, THERE, 20);
        hear(b, second, THERE, 25);
        assertEquals(HERE, b.address());
        assertEquals(2, b.highestPacket());
        assertEquals(30, b.highestAge(40), "since the newest came");
        assertEquals(0, b.highestAge(5));
        hear(b, datagram(a, false), THERE, 50);
        assertEquals(THERE, b.address());
    }

    @Test
    void aNewLifeIsConfirmedAnewAndNumbersItsDatagramsAnew() {
        meet();
        assertTrue(hear(b, datagram(new Session(A, 6, B, SECRET, 101, 1), false), THERE, 60));
        assertEquals(1, b.highestPacket());
        assertEquals(THERE, b.address());
        assertTrue(header(datagram(b, false)).named());
    }

    /** In short datagrams numbers stand as distances from both lives, as the other side reads them. */
    @Test
    void numbersAreReadAsTheyWereWritten() {
        meet();
        WireWriter writer = a.begin(100, false);
        assertEquals(new Numbers(5, 7), a.numbers());
        Header header = header(a.end(writer));
        assertEquals(new Numbers(5, 7), b.numbersOf(header));
        a.begin(100, true);
        assertEquals(Numbers.PLAIN, a.numbers());
        assertEquals(Numbers.PLAIN, b.numbersOf(header(datagram(a, true))));
    }
}
