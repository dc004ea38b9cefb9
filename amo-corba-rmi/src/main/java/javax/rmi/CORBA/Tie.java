package javax.rmi.CORBA;

import java.rmi.Remote;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.InvokeHandler;

/** The server side of an object of RMI over IIOP. JacORB names the type; nothing here makes one. */
public interface Tie extends InvokeHandler {
    org.omg.CORBA.Object thisObject();

    void deactivate() throws java.rmi.NoSuchObjectException;

    ORB orb();

    void orb(ORB orb);

    void setTarget(Remote target);

    Remote getTarget();
}
