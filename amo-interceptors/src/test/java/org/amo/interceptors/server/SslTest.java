package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.client.AmoClientInitializer;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.amo.interceptors.jacorb.MemberAddress;
import org.amo.interceptors.jacorb.RawCall;
import org.amo.interceptors.jacorb.WriteWatch;
import org.jacorb.orb.Delegate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.IOP.ServiceContext;

/** Members that speak SSLIOP, all on one machine, so that each has another port. */
@Timeout(90)
class SslTest {
    @TempDir
    private Path folder;

    private final Map<String, Server> servers = new HashMap<>();
    private final List<ORB> clients = new ArrayList<>();
    private String members = "";

    @AfterEach
    void stop() {
        clients.forEach(orb -> orb.shutdown(true));
        servers.values().forEach(Server::close);
    }

    private static Properties server(String group, Member self, String members, Map<String, String> ssl, int distance) {
        Properties properties = Server.properties(group, self.id(), members);
        properties.putAll(ssl);
        if (distance != 0) {
            properties.setProperty("OASSLPort", Integer.toString(self.clientPort() + distance));
        }
        return properties;
    }

    /** The reference of an object of a group of three. */
    private String start(String group, Map<String, String> ssl, int distance) throws Exception {
        members = Server.members(3);
        List<String> references = new ArrayList<>();
        for (Member member : Member.parseList(members)) {
            Server server = Server.start(server(group, member, members, ssl, distance));
            servers.put(member.id(), server);
            references.add(server.activate(server.poa(server.root(), "calls"), "one", new CallsServant()));
        }
        assertEquals(references.get(0), references.get(1));
        assertEquals(references.get(0), references.get(2));
        return references.get(0);
    }

    private Calls client(String reference, Map<String, String> ssl) {
        Map<String, String> properties = new HashMap<>(JacorbClientDefaults.properties());
        properties.putAll(ssl);
        properties.put("org.omg.PortableInterceptor.ORBInitializerClass." + AmoClientInitializer.class.getName(), "");
        properties.put("amo.firstMember", "0");
        properties.putIfAbsent("amo.deadlineMillis", "20000");
        ORB orb = Server.client(properties);
        clients.add(orb);
        return CallsHelper.unchecked_narrow(orb.string_to_object(reference));
    }

    private void failOver(String group, Map<String, String> ssl, int distance) throws Exception {
        Calls calls = client(start(group, ssl, distance), ssl);
        assertEquals(1, calls.count(1));
        for (String gone : List.of("a", "b")) {
            servers.remove(gone).close();
            long began = System.nanoTime();
            calls.count(1);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            assertTrue(took.toMillis() < 8_000, "after " + gone + " the next member answered after " + took);
        }
        assertEquals(4, calls.count(1));
    }

    @Test
    void clientCertificatesAndFailOverWhereSslIsRequired() throws Exception {
        Map<String, String> ssl = KeyStores.properties(KeyStores.selfSigned(folder, "group"), "60", "60");
        failOver("ssl-required", ssl, 0);
    }

    @Test
    void failOverWhereSslHasAPortBesideTheIiopPort() throws Exception {
        Map<String, String> ssl = KeyStores.properties(KeyStores.selfSigned(folder, "group"), "60", "0");
        failOver("ssl-supported", ssl, 7);
    }

    @Test
    void aClientWhoseCertificateIsNotTrustedIsNotServed() throws Exception {
        Map<String, String> ssl = KeyStores.properties(KeyStores.selfSigned(folder, "group"), "60", "60");
        String reference = start("ssl-strangers", ssl, 0);
        Map<String, String> other =
                new HashMap<>(KeyStores.properties(KeyStores.selfSigned(folder, "stranger"), "60", "60"));
        other.put("amo.deadlineMillis", "2000");
        Calls stranger = client(reference, other);
        assertThrows(SystemException.class, () -> stranger.count(1));
        assertEquals(1, client(reference, ssl).count(1));
    }

    @Test
    void theSslPortHasTheLimitsOfTheIiopPort() throws Exception {
        Map<String, String> ssl = new HashMap<>(KeyStores.properties(KeyStores.selfSigned(folder, "group"), "20", "0"));
        ssl.put("amo.iiop.connections", "2");
        String reference = start("ssl-limits", ssl, 7);
        assertEquals(1, client(reference, ssl).count(1));
        int port = Member.parseList(members).get(0).clientPort() + 7;
        try (Socket first = new Socket(InetAddress.getLoopbackAddress(), port);
                Socket second = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertTrue(hasEnded(first), "the oldest connection without an answered request gives way");
            assertTrue(second.isConnected());
        }
        assertEquals(2, client(reference, ssl).count(1));
    }

    /** The socket's end takes a lock of the thread that writes, to send an alert. */
    @Test
    void aCalleeThatReadsNothingOverSslHoldsNoSender() throws Exception {
        Path store = KeyStores.selfSigned(folder, "group");
        Map<String, String> ssl = KeyStores.properties(store, "60", "60");
        String reference = start("ssl-deaf", ssl, 0);
        ORB orb = Server.client(ssl);
        clients.add(orb);
        try (ServerSocket listener = KeyStores.context(store)
                .getServerSocketFactory()
                .createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            // The common pool may have one thread.
            CompletableFuture<Socket> deaf = CompletableFuture.supplyAsync(
                    () -> accept(listener), task -> DaemonThreads.start("amo-test-deaf", task));
            Object parsed = ((Delegate) ((ObjectImpl) orb.string_to_object(reference))._get_delegate()).getParsedIOR();
            org.omg.CORBA.Object callee =
                    JacorbClientAccess.at(orb, parsed, new MemberAddress("127.0.0.1", listener.getLocalPort()));
            CapturedRequest request = new CapturedRequest(false, 2, 0, 0, 0, "count", new byte[0], new byte[0]);
            List<ServiceContext> large = List.of(new ServiceContext(0x414D00FF, new byte[16 << 20]));
            try (WriteWatch watch = new WriteWatch()) {
                RawCall.Outcome outcome = CompletableFuture.supplyAsync(
                                () -> RawCall.send(callee, request, true, large, 3_000, watch))
                        .get(30, TimeUnit.SECONDS);
                assertEquals(RawCall.End.FAILED, outcome.end());
                assertTrue(outcome.left());
            }
            deaf.get(10, TimeUnit.SECONDS).close();
        }
    }

    /** Accepts a connection, and reads no more than the handshake. */
    private static Socket accept(ServerSocket listener) {
        try {
            SSLSocket socket = (SSLSocket) listener.accept();
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for it. */
    private static boolean hasEnded(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        try {
            return socket.getInputStream().readAllBytes().length < 20; // an alert of TLS may come first
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true; // a reset
        }
    }

    @Test
    void anSslPortThatTheOthersCannotKnowIsRefused() throws Exception {
        Map<String, String> ssl = KeyStores.properties(KeyStores.selfSigned(folder, "group"), "60", "0");
        String members = Server.members(1);
        Member self = Member.parseList(members).get(0);
        INITIALIZE unset =
                assertThrows(INITIALIZE.class, () -> Server.start(server("ssl-unset", self, members, ssl, 0)));
        assertTrue(unset.getMessage().contains("-DOASSLPort=PORT"), unset.getMessage());
        Properties same = server("ssl-same", self, members, ssl, 0);
        same.setProperty("OASSLPort", Integer.toString(self.clientPort()));
        INITIALIZE taken = assertThrows(INITIALIZE.class, () -> Server.start(same));
        assertTrue(taken.getMessage().contains("is the IIOP port of member a"), taken.getMessage());
    }
}
