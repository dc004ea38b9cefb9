package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The component of docs/wire/first-call.md. */
class DatagramTagTest implements HostileBytes {
    private static final byte[] BANK = HexFormat.of().parseHex("010462616e6b");

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of("component of datagrams", MalformedFrameException.class, DatagramTag::decode, BANK));
    }

    @Test
    void theExampleOfThePageIsTheBytes() {
        assertEquals("010462616e6b", HexFormat.of().formatHex(new DatagramTag("bank").encode()));
        assertEquals(new DatagramTag("bank"), DatagramTag.decode(BANK));
    }
}
