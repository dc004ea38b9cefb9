package org.amo.interceptors.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitInfoPackage.InvalidName;
import org.omg.PortableInterceptor.ORBInitializer;

/**
 * Turns an ORB into a member of a group. Enabled by the property
 * {@code org.omg.PortableInterceptor.ORBInitializerClass.org.amo.interceptors.server.GoaInitializer}; the settings are
 * those of {@link ReplicaSettings#fromProperties} and {@code amo.secretFile} or {@code amo.insecure=true}.
 *
 * <p>An ORB in which no object is activated stays an ordinary client: it opens no port and joins no group.
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
            throw Failures.tell(jacorb, Failures.USER, failure);
        }
    }

    private static void install(ORBInitInfo info, JacorbAccess jacorb) {
        ReplicaSettings settings =
                ReplicaSettings.fromProperties(name -> jacorb.property(name).orElse(null), secret(jacorb));
        if (jacorb.property("OAPort").isEmpty() && jacorb.property("OAAddress").isEmpty()) {
            jacorb.listenOn(
                    jacorb.property("OAIAddr").orElse(settings.self().host()),
                    settings.self().clientPort());
        }
        GroupObjectAdaptor adaptor = new GroupObjectAdaptor(jacorb, settings, provider());
        try {
            info.register_initial_reference("RootPOA", GoaPoa.root(adaptor));
            info.register_initial_reference("POACurrent", jacorb.poaCurrent(adaptor::running));
            info.add_server_request_interceptor(new RequestWatch(adaptor));
            info.add_ior_interceptor(adaptor.references());
        } catch (InvalidName | DuplicateName e) {
            throw new IllegalArgumentException(
                    "another ORB initializer stands in its way (" + e + "); remove it or start without amo", e);
        }
    }

    private static Optional<String> secret(JacorbAccess jacorb) {
        Optional<String> file = jacorb.property("amo.secretFile");
        if (file.isPresent()) {
            try {
                String secret = Files.readString(Path.of(file.get())).strip();
                if (secret.isEmpty()) {
                    throw new IllegalArgumentException(
                            "the secret file " + file.get() + " is empty; write a key into it");
                }
                return Optional.of(secret);
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "cannot read the secret file " + file.get() + " (" + e + "); correct --secret-file", e);
            }
        }
        if (jacorb.property("amo.insecure").filter("true"::equals).isEmpty()) {
            throw new IllegalArgumentException(
                    "no security was chosen; say --secret-file FILE (property amo.secretFile)"
                            + " or, on a network where everybody is trusted, --insecure (property amo.insecure=true)");
        }
        return Optional.empty();
    }

    private static ReplicatedServiceProvider provider() {
        return ServiceLoader.load(ReplicatedServiceProvider.class, GoaInitializer.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no replication on the class path; add the artifact org.amo:amo-replication"));
    }
}
