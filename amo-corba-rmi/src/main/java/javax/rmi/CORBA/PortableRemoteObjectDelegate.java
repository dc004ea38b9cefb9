package javax.rmi.CORBA;

import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;

/** The operations of RMI over IIOP that an ORB implements. JacORB has one; nothing here calls it. */
public interface PortableRemoteObjectDelegate {
    void exportObject(Remote object) throws RemoteException;

    Remote toStub(Remote object) throws NoSuchObjectException;

    void unexportObject(Remote object) throws NoSuchObjectException;

    Object narrow(Object from, Class<?> to) throws ClassCastException;

    void connect(Remote target, Remote source) throws RemoteException;
}
