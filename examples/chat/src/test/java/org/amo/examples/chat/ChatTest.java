package org.amo.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.amo.exon.udp.ExonEndpoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChatTest {
    @Test
    @Timeout(120)
    void everyLineOfEveryActorIsHeardOnce() throws Exception {
        assertTrue(Chat.run(50, 20, 0.2));
    }

    @Test
    @Timeout(120)
    void aGuestSaysItsLinesInTheRoom() throws Exception {
        String secret = "a secret of this test";
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        try (ExonEndpoint room = ChatRoom.open(0, secret, new PrintStream(heard, true, StandardCharsets.UTF_8));
                LossyLink link = new LossyLink(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(), room.address().getPort()),
                        0.2,
                        1)) {
            BufferedReader lines = new BufferedReader(new StringReader("hello\nis anybody here?\n"));
            assertTrue(ChatGuest.say(
                    link.address(), secret, "ann", lines, new PrintStream(told, true, StandardCharsets.UTF_8)));
        }
        assertEquals("ann: hello\nann: is anybody here?\n", heard.toString(StandardCharsets.UTF_8));
        assertEquals("heard as line 1\nheard as line 2\n", told.toString(StandardCharsets.UTF_8));
    }
}
