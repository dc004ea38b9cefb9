package org.amo.dpg.udp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.dpg.PduTag;
import org.amo.dpg.Tag;
import org.amo.dpg.TagSequencer.Numbered;

/**
 * Reads and writes the envelopes of PDUs, and the frames between sites and a tag sequencer (docs/wire/dpg.md). Callers check
 * the seal before they decode. Every method that decodes throws {@link MalformedFrameException}.
 */
final class DpgFrames {
    /** A PDU to the group, with the number by which the sequencer's numbers name it. */
    static final int PDU = 0xB1;

    /** Tags to a sequencer, to be numbered; without any it only says that the site is there. */
    static final int TAGS = 0xB7;

    /** Numbered tags to all sites. */
    static final int NUMBERED = 0xB5;

    /** Most bytes around a PDU, seal included. */
    static final int MOST_AROUND_PDU = 64;

    /** So many tags fit into a datagram that is not fragmented on an Ethernet. */
    static final int TAGS_AT_ONCE = 80;

    /** In one datagram. */
    static final int MOST_TAGS = 4_000;

    private static final int MOST_SEQUENCER = 255;
    private static final long MAX_NUMBER = Long.MAX_VALUE / 4;

    private DpgFrames() {}

    /**
     * A PDU in its envelope.
     *
     * @param instance of the process that sends it: its own copy is of no use to it
     * @param nonce names the PDU to the sequencer
     * @param digest of the sender's last deliveries; only in reports
     */
    record Envelope(long instance, long nonce, Optional<OrderDigest.Digest> digest, byte[] pdu) {}

    /**
     * Tags that want a number.
     *
     * @param sequencer that is asked, by its place in the settings of the sites
     * @param instance of the process that sends them
     * @param count of the datagrams of this instance to sequencers, this one included: a copy has none that is new
     * @param heardEpoch the highest epoch that the site has heard; 0 if none
     */
    record Tags(int sequencer, long instance, long count, long heardEpoch, List<PduTag> tags) {}

    static int kind(byte[] datagram) {
        return datagram.length == 0 ? -1 : datagram[0] & 0xFF;
    }

    /** @param use purpose of the key, so that two uses of one secret do not share a key */
    static Seal seal(byte[] secret, String use) {
        return Seal.of(secret, "amo dpg 1|" + use);
    }

    /** For datagrams between sites and sequencers. */
    static Seal sequencerSeal(byte[] secret) {
        return seal(secret, "sequencer");
    }

    static boolean isSealed(Seal seal, byte[] datagram) {
        return seal.open(ByteBuffer.wrap(datagram));
    }

    /** 64 bits that only a holder of the secret can tell from the number. */
    static long proof(Seal seal, long number) {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        return ByteBuffer.wrap(seal.hash("", bytes)).getLong();
    }

    /** The instance in a PDU's envelope, before its seal was looked at; 0 if it is too short. */
    static long instance(byte[] datagram) {
        return datagram.length < 1 + Long.BYTES
                ? 0
                : ByteBuffer.wrap(datagram, 1, Long.BYTES).getLong();
    }

    static byte[] encode(Envelope envelope) {
        WireWriter writer = new WireWriter(MOST_AROUND_PDU + envelope.pdu.length);
        writer.u8(PDU);
        writer.i64(envelope.instance);
        writer.i64(envelope.nonce);
        writer.u8(envelope.digest.isPresent() ? 1 : 0);
        envelope.digest.ifPresent(digest -> {
            writer.i64(digest.last().origin());
            writer.varint(digest.last().number());
            writer.varint(digest.count());
            writer.i64(digest.hash());
        });
        writer.raw(envelope.pdu, 0, envelope.pdu.length);
        return writer.toBytes();
    }

    static Envelope decodeEnvelope(byte[] datagram) {
        WireReader reader = reader("dpg pdu", datagram, PDU);
        long instance = reader.i64("instance");
        long nonce = reader.i64("nonce");
        Optional<OrderDigest.Digest> digest = Optional.empty();
        if (reader.flag("digest")) {
            long origin = reader.i64("last origin");
            Tag last = new Tag(origin, reader.varint("last number", 0, MAX_NUMBER));
            int count = (int) reader.varint("count", 1, OrderDigest.WINDOW);
            digest = Optional.of(new OrderDigest.Digest(last, count, reader.i64("hash")));
        }
        byte[] pdu = new byte[reader.remaining()];
        System.arraycopy(datagram, reader.position(), pdu, 0, pdu.length);
        return new Envelope(instance, nonce, digest, pdu);
    }

    static byte[] encode(Tags tags) {
        WireWriter writer = new WireWriter(32 + 16 * tags.tags.size());
        writer.u8(TAGS);
        if (tags.sequencer < 0 || tags.sequencer > MOST_SEQUENCER) {
            throw new IllegalArgumentException(
                    "a sequencer has a place from 0 to " + MOST_SEQUENCER + ": " + tags.sequencer);
        }
        writer.u8(tags.sequencer);
        writer.i64(tags.instance);
        writer.varint(tags.count);
        writer.i64(tags.heardEpoch);
        write(tags.tags, writer);
        return writer.toBytes();
    }

    static Tags decodeTags(byte[] datagram) {
        WireReader reader = reader("dpg tags", datagram, TAGS);
        int sequencer = reader.u8("sequencer");
        long instance = reader.i64("instance");
        long count = reader.varint("count", 1, MAX_NUMBER);
        Tags tags = new Tags(sequencer, instance, count, epoch(reader, 0), tags(reader));
        reader.end();
        return tags;
    }

    static byte[] encode(Numbered numbered) {
        WireWriter writer = new WireWriter(24 + 16 * numbered.tags().size());
        writer.u8(NUMBERED);
        writer.i64(numbered.epoch());
        writer.varint(numbered.first());
        write(numbered.tags(), writer);
        return writer.toBytes();
    }

    static Numbered decodeNumbered(byte[] datagram) {
        WireReader reader = reader("dpg numbered tags", datagram, NUMBERED);
        Numbered numbered = new Numbered(epoch(reader, 1), reader.varint("first", 1, MAX_NUMBER), tags(reader));
        reader.end();
        return numbered;
    }

    private static WireReader reader(String frame, byte[] datagram, int kind) {
        WireReader reader = new WireReader(frame, datagram, 0, datagram.length - Seal.BYTES);
        int given = reader.u8("kind");
        if (given != kind) {
            throw reader.malformed("kind", given);
        }
        return reader;
    }

    private static long epoch(WireReader reader, long least) {
        long epoch = reader.i64("epoch");
        if (epoch < least) {
            throw reader.malformed("epoch", epoch);
        }
        return epoch;
    }

    private static void write(List<PduTag> tags, WireWriter writer) {
        if (tags.size() > MOST_TAGS) {
            throw new IllegalArgumentException("a datagram has at most " + MOST_TAGS + " tags: " + tags.size());
        }
        writer.varint(tags.size());
        for (PduTag tag : tags) {
            writer.i64(tag.nonce());
            writer.i64(tag.proof());
        }
    }

    private static List<PduTag> tags(WireReader reader) {
        int count = (int) reader.varint("tags", 0, Math.min(MOST_TAGS, reader.remaining() / 16));
        List<PduTag> tags = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            tags.add(new PduTag(reader.i64("nonce"), reader.i64("proof")));
        }
        return tags;
    }
}
