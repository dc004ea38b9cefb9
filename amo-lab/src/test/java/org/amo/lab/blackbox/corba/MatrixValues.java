package org.amo.lab.blackbox.corba;

import java.io.Serializable;
import java.util.Map;
import matrix.Base;
import matrix.Chain;
import matrix.Derived;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.ValueFactory;

/** The valuetypes of the test's IDL. Each process that reads one needs the factories, as CORBA says. */
final class MatrixValues {
    private MatrixValues() {}

    private static final class Link extends Chain {
        private static final long serialVersionUID = 1L;
    }

    private static final class Plain extends Base {
        private static final long serialVersionUID = 1L;
    }

    private static final class More extends Derived {
        private static final long serialVersionUID = 1L;

        More with(int... numbers) {
            secret = numbers;
            return this;
        }
    }

    static Chain chain(String label) {
        Chain chain = new Link();
        chain.label = label;
        return chain;
    }

    static Base base(int number) {
        Base base = new Plain();
        base.number = number;
        return base;
    }

    static Derived derived(int number, String text, int... secret) {
        More derived = new More().with(secret);
        derived.number = number;
        derived.text = text;
        return derived;
    }

    static void register(ORB orb) {
        Map<String, Factory> factories = Map.of(
                "IDL:matrix/Chain:1.0",
                Link::new,
                "IDL:matrix/Base:1.0",
                Plain::new,
                "IDL:matrix/Derived:1.0",
                More::new);
        factories.forEach(((org.omg.CORBA_2_3.ORB) orb)::register_value_factory);
    }

    private interface Factory extends ValueFactory {
        Serializable create();

        @Override
        default Serializable read_value(org.omg.CORBA_2_3.portable.InputStream in) {
            return in.read_value(create());
        }
    }
}
