package org.amo.interceptors.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.amo.base.AgentSettings;
import org.amo.base.ProcessExit;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.order.TlsFiles;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.interceptors.client.AmoClientInitializer;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.amo.observe.ObservationOptions;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitInfoPackage.InvalidName;
import org.omg.PortableInterceptor.ORBInitializer;

/**
 * Turns an ORB into a member of a group. Enabled by the property
 * {@code org.omg.PortableInterceptor.ORBInitializerClass.org.amo.interceptors.server.GoaInitializer}; the settings are
 * those of {@link ReplicaSettings#fromProperties}, {@code amo.secretFile} or {@code amo.insecure=true}, {@code amo.udp} for calls by
 * datagram, and {@code amo.http} and {@code amo.httpTokenFile} for the observation port.
 *
 * <p>An ORB in which no object is activated, and no activator is set, stays an ordinary client: it opens no port and joins no group.
 */
public final class GoaInitializer extends LocalObject implements ORBInitializer {
    private static final long serialVersionUID = 1L;

    @Override
    public void pre_init(ORBInitInfo info) {
        // Everything needs the ORB's references, which come later.
    }

    /** @throws INITIALIZE in one line, which stops the ORB if jacorb.orb_initializer.fail_on_error is on */
    @Override
    public void post_init(ORBInitInfo info) {
        JacorbAccess jacorb = JacorbAccess.of(info);
        try {
            install(info, jacorb);
        } catch (IllegalArgumentException e) {
            INITIALIZE failure = new INITIALIZE("amo cannot start: " + e.getMessage());
            failure.initCause(e);
            throw Failures.tell(jacorb, ProcessExit.USER, failure);
        }
    }

    private static void install(ORBInitInfo info, JacorbAccess jacorb) {
        Optional<TlsFiles> tls = tls(jacorb);
        Optional<SecretRing> secrets = secrets(jacorb);
        if (secrets.isEmpty() && tls.isEmpty() && !isSaid(jacorb, "amo.insecure")) {
            throw new IllegalArgumentException(
                    "no security was chosen; give --secret-file FILE (property amo.secretFile), --tls-key-store FILE"
                            + " (property amo.tls.keyStore) or, on a network of trusted machines only, --insecure"
                            + " (property amo.insecure=true)");
        }
        ReplicaSettings.Builder stated =
                ReplicaSettings.builder(name -> jacorb.property(name).orElse(null), secrets);
        boolean udp = takesDatagrams(jacorb, secrets.isPresent());
        Map<String, String> ofProcess = new TreeMap<>(AgentSettings.compared(jacorb::property));
        // References are replies, too, and have to be the same bytes at every member.
        ofProcess.put("--udp (amo.udp)", Boolean.toString(udp));
        ReplicaSettings settings = stated.tls(tls).ofProcess(ofProcess).build();
        Optional<String> host = jacorb.property("OAIAddr");
        Optional<String> port = jacorb.property("OAPort");
        if (jacorb.property("OAAddress").isEmpty() && (host.isEmpty() || port.isEmpty())) {
            // For a port without a host, JacORB would listen on all interfaces.
            jacorb.listenOn(
                    host.orElse(settings.self().host()),
                    port.map(text -> Integer.parseInt(text.strip()))
                            .orElse(settings.self().clientPort()));
        }
        if (jacorb.supportsSsl()) {
            chooseSslPort(jacorb, settings.self());
        }
        jacorb.guardPorts();
        JacorbClientAccess.allowFirstAttempt(info);
        // A LocateRequest leaves before an interceptor can refuse the call that it precedes.
        jacorb.set("jacorb.locate_on_bind", "off");
        // JacORB would send a nested call to a plain object again, which may have run the first one.
        jacorb.set("jacorb.connection.client.retry_on_failure", "off");
        GroupObjectAdaptor adaptor = new GroupObjectAdaptor(jacorb, settings, provider(), udp, observation(jacorb));
        try {
            info.register_initial_reference("RootPOA", adaptor.root());
            info.register_initial_reference("POACurrent", jacorb.poaCurrent(adaptor::running));
            info.add_server_request_interceptor(new RequestWatch(adaptor));
            AmoClientInitializer.registerNested(
                    info, jacorb.orb(), settings.parameters().defaultDeadlineMillis());
            info.add_ior_interceptor(adaptor.references());
        } catch (InvalidName | DuplicateName e) {
            throw new IllegalArgumentException(
                    "another ORB initializer stands in its way (" + e + "); remove it or start without amo", e);
        }
    }

    /** References name the SSL port of the first member, so each member must know where those of the others are. */
    private static void chooseSslPort(JacorbAccess jacorb, Member self) {
        int port = jacorb.sslPort();
        if (jacorb.requiresSsl()) {
            // Nothing else listens on the IIOP port then.
            port = port == 0 ? self.clientPort() : port;
        } else if (port == 0) {
            throw new IllegalArgumentException(
                    "the server offers SSL beside plain IIOP and its SSL port is not set; set"
                            + " -DOASSLPort=PORT, at every member as far from its IIOP port (here " + self.clientPort()
                            + "), or -Djacorb.security.ssl.server.required_options=60 for SSL alone");
        } else if (port == self.clientPort()) {
            throw new IllegalArgumentException("-DOASSLPort=" + port + " is the IIOP port of member " + self.id()
                    + ", which stays open for plain IIOP; set another, at every member as far from its IIOP port, or"
                    + " -Djacorb.security.ssl.server.required_options=60 for SSL alone");
        }
        if (jacorb.property("OASSLAddress").isEmpty()) {
            jacorb.listenForSslOn(jacorb.property("OAIAddr").orElse(self.host()), port);
        }
    }

    private static boolean takesDatagrams(JacorbAccess jacorb, boolean sealed) {
        if (!isSaid(jacorb, "amo.udp")) {
            return false;
        }
        if (!sealed) {
            throw new IllegalArgumentException(
                    "--udp (property amo.udp) takes calls that are sealed with the group's secret; add --secret-file FILE"
                            + " (property amo.secretFile), or remove it");
        }
        if (jacorb.supportsSsl()) {
            throw new IllegalArgumentException(
                    "--udp (property amo.udp) takes calls that pass by SSL; remove it, or jacorb.security.support_ssl");
        }
        return true;
    }

    private static Optional<SecretRing> secrets(JacorbAccess jacorb) {
        return jacorb.property("amo.secretFile").map(file -> {
            try {
                return SecretRing.ofFile(Path.of(file));
            } catch (IOException e) {
                throw unreadable("secret", file, "--secret-file", e);
            }
        });
    }

    private static Optional<ObservationOptions> observation(JacorbAccess jacorb) {
        Optional<String> address = jacorb.property("amo.http");
        Optional<String> tokenFile = jacorb.property("amo.httpTokenFile");
        if (address.isEmpty()) {
            if (tokenFile.isPresent()) {
                throw new IllegalArgumentException("--http-token-file (property amo.httpTokenFile) needs"
                        + " --http [HOST:]PORT (property amo.http)");
            }
            return Optional.empty();
        }
        ObservationOptions.Builder options = ObservationOptions.builder(address.get());
        tokenFile.ifPresent(file -> options.token(text("token", file, "--http-token-file")));
        return Optional.of(options.build());
    }

    private static Optional<TlsFiles> tls(JacorbAccess jacorb) {
        Optional<String> keyStore = jacorb.property("amo.tls.keyStore");
        Optional<String> trustStore = jacorb.property("amo.tls.trustStore");
        Optional<String> passwordFile = jacorb.property("amo.tls.passwordFile");
        if (keyStore.isEmpty() && trustStore.isEmpty() && passwordFile.isEmpty()) {
            return Optional.empty();
        }
        if (keyStore.isEmpty() || trustStore.isEmpty() || passwordFile.isEmpty()) {
            throw new IllegalArgumentException("TLS between members needs --tls-key-store, --tls-trust-store and"
                    + " --tls-password-file together (properties amo.tls.keyStore, amo.tls.trustStore,"
                    + " amo.tls.passwordFile)");
        }
        String password = text("password", passwordFile.get(), "--tls-password-file");
        return Optional.of(new TlsFiles(Path.of(keyStore.get()), password, Path.of(trustStore.get()), password));
    }

    private static boolean isSaid(JacorbAccess jacorb, String property) {
        return jacorb.property(property).filter("true"::equals).isPresent();
    }

    /** Reads a file for a value that must not stand on a command line. */
    private static String text(String content, String file, String option) {
        try {
            String text = Files.readString(Path.of(file)).strip();
            if (text.isEmpty()) {
                throw new IllegalArgumentException("the " + content + " file " + file + " is empty; correct " + option);
            }
            return text;
        } catch (IOException e) {
            throw unreadable(content, file, option, e);
        }
    }

    private static IllegalArgumentException unreadable(String content, String file, String option, IOException e) {
        return new IllegalArgumentException(
                "cannot read the " + content + " file " + file + " (" + e + "); correct " + option, e);
    }

    private static ReplicatedServiceProvider provider() {
        return ServiceLoader.load(ReplicatedServiceProvider.class, GoaInitializer.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no replication on the class path; add the artifact org.amo:amo-replication"));
    }
}
