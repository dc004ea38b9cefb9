package org.amo.lab.attack;

import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/** An object with careless operations, as a skeleton without IDL. It has no state. */
final class VictimServant extends Servant implements InvokeHandler {
    @Override
    public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
        switch (operation) {
            case "descend" -> {
                return number(handler, Misuse.descend(0));
            }
            case "allocate" -> {
                return number(handler, Misuse.allocate());
            }
            case "fail" -> {
                return number(handler, Misuse.fail());
            }
            case "takeAny" -> {
                Any any = in.read_any();
                return number(handler, any.type().kind().value());
            }
            case "takeValue" -> {
                Object value = ((org.omg.CORBA_2_3.portable.InputStream) in).read_value();
                return number(handler, value == null ? 0 : 1);
            }
            case "takeWide" -> {
                return number(handler, in.read_wstring().length());
            }
            case "bulk" -> {
                byte[] bytes = Misuse.bulk(in.read_long());
                OutputStream out = handler.createReply();
                out.write_long(bytes.length);
                out.write_octet_array(bytes, 0, bytes.length);
                return out;
            }
            default -> throw new BAD_OPERATION();
        }
    }

    @Override
    public String[] _all_interfaces(POA poa, byte[] objectId) {
        return new String[] {"IDL:amo/Victim:1.0"};
    }

    private static OutputStream number(ResponseHandler handler, long value) {
        OutputStream out = handler.createReply();
        out.write_longlong(value);
        return out;
    }
}
