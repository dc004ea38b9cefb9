package org.amo.lab.blackbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.examples.bank.idl.Bank;
import org.amo.examples.bank.idl.BankHelper;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;

/** A client's ORB in this process, with the properties that wrap gives to a client. */
final class Orb implements AutoCloseable {
    /** Held here, or its level would be forgotten. */
    private static final Logger QUIET = Logger.getLogger("org.jacorb");

    static {
        // A broken connection is what many tests are about.
        QUIET.setLevel(Level.OFF);
    }

    private final ORB orb;

    private Orb(ORB orb) {
        this.orb = orb;
    }

    /** A client of amo with calls of ten seconds. */
    static Orb client() {
        return client(10_000, Map.of());
    }

    static Orb client(long deadlineMillis, Map<String, String> more) {
        ClientWrap wrap =
                new ClientWrap(List.of(), Optional.of(deadlineMillis), true, Optional.empty(), Optional.empty());
        return of(wrap, more);
    }

    static Orb of(ClientWrap wrap, Map<String, String> more) {
        JavaCommandLine program = JavaCommandLine.parse(List.of("java", "Main"), Optional.empty());
        Properties properties = new Properties();
        properties.putAll(wrap.apply(program).properties());
        properties.putAll(more);
        return new Orb(ORB.init(new String[0], properties));
    }

    /** An ORB that knows nothing of amo. */
    static Orb plain() {
        return new Orb(ORB.init(new String[0], new Properties()));
    }

    Bank bank(String reference) {
        return BankHelper.unchecked_narrow(orb.string_to_object(reference));
    }

    org.omg.CORBA.Object object(String reference) {
        return orb.string_to_object(reference);
    }

    /** A call of the probe without stubs. */
    Request add(org.omg.CORBA.Object probe, long value) {
        Request request = probe._request("add");
        request.add_in_arg().insert_longlong(value);
        request.set_return_type(orb.get_primitive_tc(TCKind.tk_longlong));
        return request;
    }

    /** Makes a call without stubs, of an operation that takes numbers and returns a text. */
    static String text(org.omg.CORBA.Object target, String operation, long... arguments) {
        Request request = target._request(operation);
        for (long argument : arguments) {
            request.add_in_arg().insert_longlong(argument);
        }
        request.set_return_type(ORB.init().get_primitive_tc(TCKind.tk_string));
        request.invoke();
        Exception failure = request.env().exception();
        if (failure != null) {
            throw new AssertionError(operation + " failed", failure);
        }
        return request.return_value().extract_string();
    }

    @Override
    public void close() {
        orb.shutdown(true);
    }
}
