package org.amo.interceptors.jacorb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Properties;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.interceptors.server.JacorbDefaults;
import org.jacorb.orb.BufferManager;
import org.jacorb.orb.CDROutputStream;
import org.jacorb.orb.IBufferManager;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.NO_MEMORY;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.StreamableValue;

/** The bytes of a value do not depend on what the ORB wrote before. */
class FreshBuffersTest {
    @Test
    void aValueLeavesNoRoomForBytesOfEarlierMessages() {
        ORB orb = orb(true);
        byte[] before = written(orb);
        use(orb);
        assertArrayEquals(before, written(orb));
        orb.shutdown(true);
    }

    @Test
    void jacorbsOwnBuffersDoWhichIsWhyThereAreOthers() {
        ORB orb = orb(false);
        byte[] before = written(orb);
        use(orb);
        assertFalse(Arrays.equals(before, written(orb)), "JacORB clears the gap by now: FreshBuffers can go");
        orb.shutdown(true);
    }

    @Test
    void aClaimedSizeDoesNotFillTheHeap() {
        ORB orb = orb(true);
        IBufferManager buffers = ((org.jacorb.orb.ORB) orb).getBufferManager();
        assertThrows(NO_MEMORY.class, () -> buffers.getBuffer(Integer.MAX_VALUE - 100));
        orb.shutdown(true);
    }

    /** JacORB's own code, and code that knows JacORB, takes the manager for a BufferManager. */
    @Test
    void theManagerIsOneOfJacorbsAndKeepsNoBuffer() {
        ORB orb = orb(true);
        IBufferManager manager = ((org.jacorb.orb.ORB) orb).getBufferManager();
        BufferManager buffers = assertInstanceOf(BufferManager.class, manager);
        for (int size : new int[] {1_023, 2_047, 8_000_000}) {
            byte[] used = buffers.getBuffer(size);
            Assertions.assertEquals(size, used.length);
            buffers.returnBuffer(used);
            buffers.returnBuffer(used, true);
            assertNotSame(used, buffers.getBuffer(size));
        }
        buffers.release();
        orb.shutdown(true);
    }

    @Test
    void serversAndClientsAreStartedWithThem() {
        Assertions.assertEquals(
                FreshBuffers.class.getName(), JacorbDefaults.server().get(FreshBuffers.PROPERTY));
        Assertions.assertEquals(
                FreshBuffers.class.getName(), JacorbClientDefaults.properties().get(FreshBuffers.PROPERTY));
    }

    private static ORB orb(boolean fresh) {
        Properties properties = new Properties();
        properties.setProperty("jacorb.log.default.verbosity", "0");
        if (fresh) {
            properties.setProperty(FreshBuffers.PROPERTY, FreshBuffers.class.getName());
        }
        return ORB.init(new String[0], properties);
    }

    private static byte[] written(ORB orb) {
        try (CDROutputStream out = new CDROutputStream(orb)) {
            out.write_value(new Truncatable());
            return out.getBufferCopy();
        }
    }

    /** Leaves its traces in all buffers that the ORB has. */
    private static void use(ORB orb) {
        for (int i = 0; i < 20; i++) {
            try (CDROutputStream out = new CDROutputStream(orb)) {
                byte[] bytes = new byte[900];
                Arrays.fill(bytes, (byte) 'x');
                out.write_octet_array(bytes, 0, bytes.length);
            }
        }
    }

    /** A value with two repository ids, the first of which ends where no other can begin. */
    private static final class Truncatable implements StreamableValue {
        private static final long serialVersionUID = 1L;

        @Override
        public String[] _truncatable_ids() {
            return new String[] {"IDL:D:1.0", "IDL:B:1.0"};
        }

        @Override
        public void _read(InputStream in) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void _write(OutputStream out) {
            out.write_long(7);
        }

        @Override
        public TypeCode _type() {
            throw new UnsupportedOperationException();
        }
    }
}
