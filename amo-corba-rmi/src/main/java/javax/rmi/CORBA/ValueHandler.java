package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;
import org.omg.SendingContext.RunTime;

/** Marshals values of RMI over IIOP, and names their types. */
public interface ValueHandler {
    void writeValue(OutputStream out, Serializable value);

    Serializable readValue(InputStream in, int offset, Class<?> type, String repositoryId, RunTime sender);

    String getRMIRepositoryID(Class<?> type);

    boolean isCustomMarshaled(Class<?> type);

    RunTime getRunTimeCodeBase();

    Serializable writeReplace(Serializable value);
}
