package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import org.amo.interceptors.client.DatagramTag;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

class IorTest implements HostileBytes {
    @TempDir
    private Path folder;

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                                "object reference",
                                MalformedReferenceException.class,
                                bytes -> ObjectReference.describe(
                                        "IOR:" + HexFormat.of().formatHex(bytes)),
                                group(ByteOrder.BIG_ENDIAN),
                                group(ByteOrder.LITTLE_ENDIAN))
                        .taking(50_000), // its description
                Decoder.of(
                        "corbaloc",
                        MalformedReferenceException.class,
                        bytes -> ObjectReference.describe("corbaloc:" + new String(bytes, StandardCharsets.ISO_8859_1)),
                        "iiop:1.2@h1:9801,:h2/AmoStatus".getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void aReferenceOfJacorbIsTold() throws Exception {
        String reference = jacorbReference();
        List<String> lines = ObjectReference.describe(reference);
        assertEquals("type        IDL:example/Thing:1.0", lines.get(0));
        assertTrue(lines.get(1).startsWith("profile 1   IIOP 1.2 at 127.0.0.1:"), lines.get(1));
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("  key       ")), lines.toString());
        assertTrue(lines.contains("  component TAG_ORB_TYPE (0): JacORB (0x4a414300)"), lines.toString());
        assertTrue(
                lines.stream().anyMatch(line -> line.startsWith("  component TAG_CODE_SETS (1): char UTF-8")),
                lines.toString());
    }

    @Test
    void aReferenceMayStandInAFile() throws Exception {
        String reference = jacorbReference();
        Path file = Files.writeString(folder.resolve("thing.ior"), reference + "\n");
        assertEquals(Run.of("ior", reference), Run.of("ior", file.toString()));
        assertEquals(ExitCodes.OK, Run.of("ior", file.toString()).exitCode());
    }

    private static byte[] group(ByteOrder order) {
        byte[] alternate = encapsulation(order).string("127.0.0.1").uShort(9802).bytes();
        byte[] group = encapsulation(order)
                .octet(1)
                .octet(0)
                .string("bank")
                .uLongLong(77)
                .uLong(3)
                .bytes();
        byte[] primary = encapsulation(order).octet(1).bytes();
        byte[] profile = encapsulation(order)
                .octet(1)
                .octet(2)
                .string("127.0.0.1")
                .uShort(9801)
                .octets("bank/\0k".getBytes(StandardCharsets.US_ASCII))
                .uLong(5)
                .uLong(3)
                .octets(alternate)
                .uLong(27)
                .octets(group)
                .uLong(28)
                .octets(primary)
                .uLong(0x41)
                .octets(new byte[] {1, 2})
                .uLong(DatagramTag.TAG)
                .octets(new DatagramTag("bank").encode())
                .bytes();
        return encapsulation(order)
                .string("IDL:B:1.0")
                .uLong(1)
                .uLong(0)
                .octets(profile)
                .bytes();
    }

    @Test
    void theComponentsOfAGroupAreTold() throws Exception {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            byte[] reference = group(order);
            assertEquals(
                    List.of(
                            "type        IDL:B:1.0",
                            "profile 1   IIOP 1.2 at 127.0.0.1:9801",
                            "  key       bank/%00k (7 bytes; %XX stands for a byte that is no letter)",
                            "  component TAG_ALTERNATE_IIOP_ADDRESS (3): 127.0.0.1:9802",
                            "  component TAG_FT_GROUP (27): domain 'bank', group 77, version of the reference 3 (format 1.0)",
                            "  component TAG_FT_PRIMARY (28): this profile is the primary",
                            "  component component with tag 65: 2 bytes 0102",
                            "  component amo's datagrams (1095585621): group 'bank' takes first calls as datagrams"),
                    ObjectReference.describe("IOR:" + HexFormat.of().formatHex(reference)));
        }
    }

    @Test
    void aCorbalocIsTold() throws Exception {
        assertEquals(
                List.of(
                        "type        a corbaloc does not say",
                        "address 1   IIOP 1.2 at h1:9801",
                        "address 2   IIOP 1.0 at h2:2809 (the default port)",
                        "  key       AmoStatus"),
                ObjectReference.describe("corbaloc:iiop:1.2@h1:9801,:h2/AmoStatus"));
    }

    @Test
    void theNilReferenceIsTold() throws Exception {
        assertEquals(
                List.of("type        none", "profiles    none: the nil reference"),
                ObjectReference.describe("IOR:00000000000000010000000000000000"));
    }

    @Test
    void aReferenceCutOffAnywhereIsRefused() throws Exception {
        String reference = jacorbReference();
        for (int length = 4; length < reference.length() - 2; length += 2) {
            String cut = reference.substring(0, length);
            assertThrows(MalformedReferenceException.class, () -> ObjectReference.describe(cut), cut);
        }
    }

    @Test
    void rubbishIsTheUsersMistake() throws IOException {
        Path file = Files.write(folder.resolve("rubbish"), new byte[] {0, 1, 2, (byte) 0xFF});
        for (String text : List.of("IOR:", "IOR:0", "IOR:xyz", "corbaloc:", "corbaloc:iiop", file.toString(), "/")) {
            Run run = Run.of("ior", text);
            assertEquals(ExitCodes.USER, run.exitCode(), text);
            assertTrue(run.isOneLineOfError(), run.err());
        }
    }

    private static String jacorbReference() throws Exception {
        Properties properties = new Properties();
        properties.put("jacorb.log.default.verbosity", "0");
        properties.put("OAIAddr", "127.0.0.1");
        ORB orb = ORB.init(new String[0], properties);
        try {
            POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
            return orb.object_to_string(root.create_reference("IDL:example/Thing:1.0"));
        } finally {
            orb.shutdown(true);
        }
    }

    private static Writer encapsulation(ByteOrder order) {
        Writer writer = new Writer(order);
        return writer.octet(order == ByteOrder.LITTLE_ENDIAN ? 1 : 0);
    }

    /** The other direction of the reader under test. */
    private static final class Writer {
        private final ByteBuffer buffer;

        Writer(ByteOrder order) {
            buffer = ByteBuffer.allocate(1_024).order(order);
        }

        Writer octet(int value) {
            buffer.put((byte) value);
            return this;
        }

        Writer uShort(int value) {
            align(2).putShort((short) value);
            return this;
        }

        Writer uLong(int value) {
            align(4).putInt(value);
            return this;
        }

        Writer uLongLong(long value) {
            align(8).putLong(value);
            return this;
        }

        Writer octets(byte[] bytes) {
            uLong(bytes.length);
            buffer.put(bytes);
            return this;
        }

        Writer string(String text) {
            return octets((text + "\0").getBytes(StandardCharsets.UTF_8));
        }

        byte[] bytes() {
            byte[] bytes = new byte[buffer.position()];
            buffer.flip().get(bytes);
            return bytes;
        }

        private ByteBuffer align(int boundary) {
            return buffer.position((buffer.position() + boundary - 1) & -boundary);
        }
    }
}
