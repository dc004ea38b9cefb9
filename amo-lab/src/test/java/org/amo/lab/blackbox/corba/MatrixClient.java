package org.amo.lab.blackbox.corba;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import matrix.Broken;
import matrix.Detailed;
import matrix.EchoesOperations;
import matrix.Empty;
import matrix.Everything;
import matrix.EverythingHelper;
import matrix.NestedHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_CONTEXT;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Request;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TRANSIENT;
import org.omg.CORBA.UNKNOWN;

/**
 * A client that knows nothing of amo and nothing of its ORB: {@code MatrixClient strict|patient FILE...}. For each line on
 * its standard input, it goes round over the objects once, sends every construct to each and compares what comes back. It
 * says {@code under way N} when the first object has had its part of a round, {@code round N} after each round, and at the
 * end of its input how often it counted. A patient one repeats what fails because a server died, as an application of a
 * plain ORB must.
 */
public final class MatrixClient {
    /** In so many of them each object gets the large values once. */
    static final int ROUNDS = 2;

    private final ORB orb;
    private final boolean patient;
    private final Set<String> leftOut = new TreeSet<>();
    private int counted;
    private int repeated;

    private MatrixClient(ORB orb, boolean patient) {
        this.orb = orb;
        this.patient = patient;
    }

    public static void main(String[] args) throws Exception {
        ORB orb = ORB.init(new String[0], System.getProperties());
        MatrixValues.register(orb);
        MatrixClient client = new MatrixClient(orb, args[0].equals("patient"));
        List<Everything> targets = new ArrayList<>();
        for (String file : Arrays.asList(args).subList(1, args.length)) {
            targets.add(EverythingHelper.narrow(orb.string_to_object(Files.readString(Path.of(file)))));
        }
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (int round = 1; asked.readLine() != null; round++) {
            for (int i = 0; i < targets.size(); i++) {
                // The first object in the first round, before the others have begun.
                client.round(targets.get(i), round == (i == 0 ? 1 : ROUNDS));
                if (i == 0) {
                    System.out.println("under way " + round);
                }
            }
            System.out.println("round " + round);
        }
        System.out.println("left out " + client.leftOut);
        System.out.println("counted " + client.counted + " repeated " + client.repeated);
        orb.shutdown(true);
        orb.destroy();
        System.exit(0);
    }

    private void round(Everything target, boolean large) throws Exception {
        for (Map.Entry<String, List<?>> entry :
                MatrixSamples.of(orb, target, large).entrySet()) {
            Method echo = echo(entry.getKey());
            List<?> values = entry.getValue();
            for (int i = 0; i < values.size(); i++) {
                Object a = values.get(i);
                Object b = values.get((i + 1) % values.size());
                step(entry.getKey(), () -> checkEcho(target, echo, a, b));
            }
        }
        step("attributes", () -> {
            target.title("plain");
            target.wideTitle("w\u20acde");
            check("title", "plain", target.title());
            check("wideTitle", "w\u20acde", target.wideTitle());
            return check("callCount", true, target.callCount() > 0);
        });
        step("note", () -> {
            target.note("nobody waits for this");
            return null;
        });
        step("count", () -> {
            target.count(1);
            return counted++;
        });
        step("count by DII", () -> countDynamically(target));
        step("nothing", () -> {
            target.nothing();
            return check("mix", 1 + 2 + 3 + 4, target.mix((byte) 1, 2, "abc", 4.5));
        });
        step("whoAmI", () -> {
            String name = target.whoAmI();
            check("myself", name, target.myself().whoAmI());
            check("_is_a", true, target._is_a("IDL:matrix/Tally:1.0"));
            check("_is_a", false, target._is_a("IDL:matrix/Other:1.0"));
            return check("_non_existent", false, target._non_existent());
        });
        step("user exceptions", () -> userExceptions(target));
        step("system exceptions", () -> systemExceptions(target));
    }

    private static Method echo(String name) {
        return Arrays.stream(EchoesOperations.class.getMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void step(String what, Callable<?> step) throws Exception {
        while (true) {
            try {
                step.call();
                return;
            } catch (COMM_FAILURE | TRANSIENT e) {
                if (!patient) {
                    throw new IllegalStateException(what, e);
                }
                repeated++;
            } catch (SystemException e) {
                throw new IllegalStateException(what, e);
            }
        }
    }

    private Object checkEcho(Everything target, Method echo, Object a, Object b) throws Exception {
        Class<?> holderType = echo.getParameterTypes()[1];
        Object inout = holderType.getConstructor().newInstance();
        Object out = holderType.getConstructor().newInstance();
        holderType.getField("value").set(inout, b);
        Object result;
        try {
            result = echo.invoke(target, a, inout, out);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SystemException system) {
                throw system;
            }
            if (e.getCause() instanceof NoSuchMethodError) {
                // The stubs ask for an operation of org.omg.CORBA.portable that this ORB's has not.
                return leftOut.add(echo.getName());
            }
            throw e;
        }
        Object cameBack = holderType.getField("value").get(inout);
        Object cameOut = holderType.getField("value").get(out);
        if (a instanceof org.omg.CORBA.Object reference) {
            check(echo.getName(), true, reference._is_equivalent((org.omg.CORBA.Object) cameOut));
            return check(echo.getName(), true, reference._is_equivalent((org.omg.CORBA.Object) result));
        }
        check(echo.getName(), MatrixText.of(b), MatrixText.of(result));
        check(echo.getName(), MatrixText.of(a), MatrixText.of(cameBack));
        return check(echo.getName(), MatrixText.of(a), MatrixText.of(cameOut));
    }

    private Object countDynamically(Everything target) throws Exception {
        Request request = target._request("count");
        request.add_in_arg().insert_long(1);
        request.set_return_type(orb.get_primitive_tc(TCKind.tk_long));
        request.invoke();
        Exception failure = request.env().exception();
        if (failure != null) {
            throw failure;
        }
        counted++;
        try {
            return check("count by DII", true, request.return_value().extract_long() > 0);
        } catch (BAD_OPERATION e) {
            // GlassFish's ORB loses the result of a dynamic call that it had to take to another address.
            return leftOut.add("result of DII");
        }
    }

    private Object userExceptions(Everything target) throws Exception {
        try {
            target.fail(0, "");
            return check("fail", "Empty", "nothing");
        } catch (Empty e) {
            // As it should be.
        }
        try {
            target.fail(7, "as told");
            return check("fail", "Broken", "nothing");
        } catch (Broken e) {
            check("Broken", "7 as told [7, 8]", e.code + " " + e.why + " " + Arrays.toString(e.trace));
        }
        Any detail = MatrixSamples.any(
                orb, NestedHelper.type(), out -> NestedHelper.write(out, MatrixSamples.nested("in an exception", 1)));
        try {
            target.failWithAny(detail);
            return check("failWithAny", "Detailed", "nothing");
        } catch (Detailed e) {
            return check("Detailed", MatrixText.of(detail), MatrixText.of(e.detail));
        }
    }

    private static Object systemExceptions(Everything target) {
        try {
            target.failBySystemException(4711);
            return check("failBySystemException", "BAD_CONTEXT", "nothing");
        } catch (BAD_CONTEXT e) {
            check("minor", 4711, e.minor);
            check("completed", CompletionStatus._COMPLETED_YES, e.completed.value());
        }
        try {
            target.failByRuntimeException();
            return check("failByRuntimeException", "UNKNOWN", "nothing");
        } catch (UNKNOWN e) {
            return e;
        }
    }

    private static Object check(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new IllegalArgumentException(what + ": expected " + expected + " and got " + actual);
        }
        return actual;
    }
}
