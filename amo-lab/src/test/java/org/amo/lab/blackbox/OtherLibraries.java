package org.amo.lab.blackbox;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import org.amo.base.RunningOperation;
import org.amo.interceptors.state.StateCodec;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.UserException;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Programs with libraries of other versions than amo's, which they use. */
final class OtherLibraries {
    private OtherLibraries() {}

    /** A server: {@code Server IORFILE}. */
    public static final class Server {
        private Server() {}

        public static void main(String[] args) throws UserException, IOException {
            ORB orb = ORB.init(args, null);
            POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
            Policy[] policies = {
                root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
                root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
            };
            POA poa = root.create_POA("notes", root.the_POAManager(), policies);
            byte[] id = "n".getBytes(StandardCharsets.US_ASCII);
            poa.activate_object_with_id(id, new Notes());
            Path file = Path.of(args[0]);
            Path draft = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(draft, orb.object_to_string(poa.id_to_reference(id)));
            Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            root.the_POAManager().activate();
            orb.run();
        }
    }

    /** A client: {@code Client REFERENCE TEXT ...}; prints the replies, and then its own libraries. */
    public static final class Client {
        private Client() {}

        public static void main(String[] args) {
            ORB orb = ORB.init(new String[0], null);
            org.omg.CORBA.Object notes = orb.string_to_object(args[0]);
            for (int i = 1; i < args.length; i++) {
                Request request = notes._request("note");
                request.add_in_arg().insert_string(args[i]);
                request.set_return_type(orb.get_primitive_tc(TCKind.tk_string));
                request.invoke();
                if (request.env().exception() != null) {
                    throw new IllegalStateException(request.env().exception());
                }
                System.out.println(request.return_value().extract_string());
            }
            System.out.println(libraries());
            orb.shutdown(true);
        }
    }

    /** The program's text, with a class of amo as the program compiled it. */
    public static final class Codec implements StateCodec {
        @Override
        public byte[] take(Object servant) {
            return ((Notes) servant).text.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void restore(Object servant, byte[] state) {
            ((Notes) servant)
                    .text.replace(0, ((Notes) servant).text.length(), new String(state, StandardCharsets.UTF_8));
        }
    }

    /** Uses Netty's buffers and a logger in its operation. */
    private static final class Notes extends Servant implements InvokeHandler {
        private static final Logger LOG = LoggerFactory.getLogger(Notes.class);

        private final StringBuilder text = new StringBuilder();

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:Notes:1.0"};
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            String more = in.read_string();
            LOG.warn("noted {}", more);
            ByteBuf buffer = Unpooled.copiedBuffer(more, StandardCharsets.UTF_8);
            try {
                text.append(ByteBufUtil.hexDump(buffer));
            } finally {
                buffer.release();
            }
            Map<String, String> report = libraries();
            report.put("text", text.toString());
            report.put("context loader", String.valueOf(Thread.currentThread().getContextClassLoader() == loader()));
            report.put(
                    "inside",
                    RunningOperation.current().map(RunningOperation::group).orElse("none"));
            report.putAll(amos());
            OutputStream out = handler.createReply();
            out.write_string(report.toString());
            return out;
        }

        /** The libraries of the code that called this servant. */
        private static Map<String, String> amos() {
            ClassLoader amo = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                    .walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass)
                            .filter(type -> type.getName().startsWith("org.amo.interceptors."))
                            .findFirst())
                    .orElseThrow()
                    .getClassLoader();
            try {
                Object factory = amo.loadClass("org.slf4j.LoggerFactory")
                        .getMethod("getILoggerFactory")
                        .invoke(null);
                return Map.of(
                        "amo's netty", jar(amo.loadClass("io.netty.util.Version")),
                        "amo's binding", factory.getClass().getName(),
                        "amo's jgroups", amo.loadClass("org.jgroups.JChannel").getSimpleName());
            } catch (ReflectiveOperationException e) {
                return Map.of("amo", e.toString());
            }
        }
    }

    private static ClassLoader loader() {
        return OtherLibraries.class.getClassLoader();
    }

    /** What this program sees. */
    private static Map<String, String> libraries() {
        Map<String, String> report = new TreeMap<>();
        report.put("netty", Version.identify(loader()).get("netty-common").artifactVersion());
        report.put("netty's jar", jar(Version.class));
        report.put("slf4j", jar(Logger.class));
        report.put("binding", LoggerFactory.getILoggerFactory().getClass().getName());
        report.put("sees jgroups", Boolean.toString(sees("org.jgroups.JChannel")));
        report.put("sees amo", Boolean.toString(sees("org.amo.core.replica.Replica")));
        return report;
    }

    private static boolean sees(String name) {
        try {
            Class.forName(name, false, loader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static String jar(Class<?> type) {
        String location =
                type.getProtectionDomain().getCodeSource().getLocation().getPath();
        return location.substring(location.lastIndexOf('/') + 1);
    }
}
