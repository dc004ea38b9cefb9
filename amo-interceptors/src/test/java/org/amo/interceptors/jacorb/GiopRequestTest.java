package org.amo.interceptors.jacorb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.jacorb.door.GuardedServerSockets;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.jacorb.orb.giop.GIOPConnection;
import org.jacorb.orb.giop.RequestInputStream;
import org.jacorb.orb.giop.ServerGIOPConnection;
import org.junit.jupiter.api.AfterAll;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.IOP.ServiceContext;

/** Requests of any client, from the message that the door let in to what is ordered. */
class GiopRequestTest implements HostileBytes {
    private static final ORB JACORB = orb();

    private final GIOPConnection connection = new ServerGIOPConnection(null, null, null, null, null, null);

    private static ORB orb() {
        Properties properties = new Properties();
        properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        return ORB.init(new String[0], properties);
    }

    @AfterAll
    static void end() {
        JACORB.shutdown(true);
    }

    @Override
    public List<Decoder> decoders() {
        byte[][] choices = new byte[30][];
        Random random = new Random(7);
        for (int i = 0; i < choices.length; i++) {
            choices[i] = new byte[60 + random.nextInt(100)];
            random.nextBytes(choices[i]);
            choices[i][0] = (byte) (i % 3);
            choices[i][1] = (byte) (i / 3 % 2);
        }
        byte[][] accepted = Arrays.stream(choices).filter(this::isAccepted).toArray(byte[][]::new);
        return List.of(
                Decoder.of("GIOP request", SystemException.class, this::capture, messages(accepted))
                        .taking(50_000), // buffers of JacORB
                Decoder.of(
                                "GIOP request by fields",
                                SystemException.class,
                                each -> capture(GiopRequests.of(each)),
                                accepted)
                        .taking(100_000));
    }

    private static byte[][] messages(byte[][] choices) {
        return Arrays.stream(choices).map(GiopRequests::of).toArray(byte[][]::new);
    }

    private boolean isAccepted(byte[] choices) {
        try {
            capture(GiopRequests.of(choices));
            return true;
        } catch (SystemException e) {
            return false;
        }
    }

    private void capture(byte[] message) {
        if (message.length >= 12) {
            // The door hands out as many bytes as the message says.
            ByteOrder order = (message[6] & 1) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            ByteBuffer.wrap(message).order(order).putInt(8, message.length - 12);
        }
        if (!GuardedServerSockets.isReadable(message)) {
            throw new MARSHAL("the door closes its connection");
        }
        RequestInputStream in = new RequestInputStream(JACORB, connection, message);
        for (ServiceContext context : in.req_hdr.service_context) {
            if (context.context_data == null) {
                throw new AssertionError("a context without data");
            }
        }
        CapturedRequest captured = JacorbAccess.capture(in, in.req_hdr.operation, new byte[] {1}, connection);
        CapturedRequest.decode(captured.encode());
    }
}
