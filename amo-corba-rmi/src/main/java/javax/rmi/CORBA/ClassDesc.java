package javax.rmi.CORBA;

import java.io.Serializable;

/** The value as which a class object travels. Only its name is used. */
public final class ClassDesc implements Serializable {
    private static final long serialVersionUID = 1L;

    private ClassDesc() {}
}
