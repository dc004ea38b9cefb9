package planted;

import java.util.List;

/** Written as an IDL compiler does: operations, skeleton, tie, stub, helper. */
interface TillOperations {
    void clocks();

    void chance();

    void hashes();

    void orders();

    void defaults();

    void surroundings();

    void threads();

    void outside();

    void statics();

    void calls(Till other);

    void ways(List<String> names);
}

interface Till extends TillOperations, org.omg.CORBA.Object {}

abstract class TillPOA extends org.omg.PortableServer.Servant
        implements org.omg.CORBA.portable.InvokeHandler, TillOperations {
    public org.omg.CORBA.portable.OutputStream _invoke(
            String method, org.omg.CORBA.portable.InputStream in, org.omg.CORBA.portable.ResponseHandler handler) {
        switch (method) {
            case "clocks":
                clocks();
                break;
            case "calls":
                calls(TillHelper.read(in));
                break;
            default:
                throw new org.omg.CORBA.BAD_OPERATION();
        }
        return handler.createReply();
    }

    public String[] _all_interfaces(org.omg.PortableServer.POA poa, byte[] id) {
        return new String[] {"IDL:planted/Till:1.0"};
    }
}

class TillPOATie extends TillPOA {
    private final TillOperations delegate;

    TillPOATie(TillOperations delegate) {
        this.delegate = delegate;
    }

    public void clocks() {
        delegate.clocks();
    }

    public void chance() {
        delegate.chance();
    }

    public void hashes() {
        delegate.hashes();
    }

    public void orders() {
        delegate.orders();
    }

    public void defaults() {
        delegate.defaults();
    }

    public void surroundings() {
        delegate.surroundings();
    }

    public void threads() {
        delegate.threads();
    }

    public void outside() {
        delegate.outside();
    }

    public void statics() {
        delegate.statics();
    }

    public void calls(Till other) {
        delegate.calls(other);
    }

    public void ways(List<String> names) {
        delegate.ways(names);
    }
}

class TillHelper {
    private static org.omg.CORBA.TypeCode type;

    static org.omg.CORBA.TypeCode type() {
        if (type == null) {
            type = org.omg.CORBA.ORB.init().create_interface_tc(id(), "Till");
        }
        return type;
    }

    static String id() {
        return "IDL:planted/Till:1.0";
    }

    static Till read(org.omg.CORBA.portable.InputStream in) {
        type();
        return narrow(in.read_Object(TillStub.class));
    }

    static Till narrow(org.omg.CORBA.Object object) {
        return object instanceof Till || object._is_a(id()) ? (Till) object : null;
    }
}

class TillStub extends org.omg.CORBA.portable.ObjectImpl implements Till {
    public String[] _ids() {
        return new String[] {TillHelper.id()};
    }

    /** A call from a client, which no operation makes by itself. */
    public void clocks() {
        System.nanoTime();
    }

    public void chance() {}

    public void hashes() {}

    public void orders() {}

    public void defaults() {}

    public void surroundings() {}

    public void threads() {}

    public void outside() {}

    public void statics() {}

    public void calls(Till other) {}

    public void ways(List<String> names) {}
}
