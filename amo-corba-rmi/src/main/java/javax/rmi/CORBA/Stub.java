package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA_2_3.portable.ObjectImpl;

/** The superclass of JacORB's object references. */
public abstract class Stub extends ObjectImpl implements Serializable {
    private static final long serialVersionUID = 1L;

    /** For the class that extends it. */
    protected Stub() {}
}
