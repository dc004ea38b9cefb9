package org.amo.interceptors.client;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.amo.base.DaemonThreads;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.DatagramCipher;
import org.amo.core.request.Answer;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;

/** The UDP port of a {@link FakeMember}, which answers datagrams as a test says. */
final class FakeDatagrams implements AutoCloseable {
    static final String GROUP = "bank";
    static final String SECRET = "00112233445566778899aabbccddeeff".repeat(2);

    /** A call as it came. */
    record Came(CallDatagrams.Head head, CallDatagrams.Called called) {
        CapturedRequest request() {
            return CapturedRequest.decode(called.body());
        }

        long number() {
            return called.context().call().orElseThrow().number();
        }
    }

    final ConcurrentLinkedQueue<Came> calls = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<CallDatagrams.Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();

    /** Datagrams that are sealed with another secret. */
    final ConcurrentLinkedQueue<Integer> forged = new ConcurrentLinkedQueue<>();

    /** Makes the content of an answer, or none. */
    volatile Function<Came, Optional<byte[]>> answers;

    private final DatagramSocket socket;
    private final DatagramCipher cipher =
            new DatagramCipher(Optional.of(DatagramCipher.keys(DatagramCipher.groupKey(GROUP, SECRET))));
    private long sent;

    FakeDatagrams(FakeMember member, Function<Came, Optional<byte[]>> answers) throws IOException {
        this.answers = answers;
        this.socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), member.proxy.port()));
        DaemonThreads.start("amo-fake-datagrams", this::run);
    }

    /** The answer of the group to a call. */
    static Optional<byte[]> reply(Came came, CapturedReply reply) {
        long now = System.currentTimeMillis();
        return Optional.of(
                CallDatagrams.answer(came.called().copy(), Answer.reply(reply.encode(), now, now - 300_000)));
    }

    private void run() {
        DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
        while (!socket.isClosed()) {
            try {
                packet.setLength(2_000);
                socket.receive(packet);
                take(Arrays.copyOf(packet.getData(), packet.getLength()), (InetSocketAddress)
                        packet.getSocketAddress());
            } catch (IOException e) {
                // The test is over, or the client is gone: as on a network.
            }
        }
    }

    private void take(byte[] datagram, InetSocketAddress from) throws IOException {
        CallDatagrams.Head head = CallDatagrams.readHead(datagram).orElseThrow();
        Optional<byte[]> content = cipher.open(head, datagram);
        if (content.isEmpty()) {
            forged.add(datagram.length);
            return;
        }
        if (head.kind() == CallDatagrams.FINISHED) {
            acknowledged.add(CallDatagrams.readFinished(content.get()));
            return;
        }
        Came came = new Came(head, CallDatagrams.readCall(content.get()));
        calls.add(came);
        Optional<byte[]> answer = answers.apply(came);
        if (answer.isPresent()) {
            CallDatagrams.Head back =
                    new CallDatagrams.Head(CallDatagrams.ANSWER, true, head.client(), ++sent, new byte[16]);
            byte[] sealed = cipher.seal(back, answer.get());
            socket.send(new DatagramPacket(sealed, sealed.length, from));
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
