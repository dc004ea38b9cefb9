package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA.NO_IMPLEMENT;
import org.omg.CORBA.WStringValueHelper;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;
import org.omg.SendingContext.RunTime;

/** Names types and refuses to marshal values that were not compiled from IDL: those marshal themselves. */
final class IdlValueHandler implements ValueHandler {
    static NO_IMPLEMENT notImplemented() {
        return new NO_IMPLEMENT("RMI over IIOP is not implemented; define the type in IDL");
    }

    @Override
    public String getRMIRepositoryID(Class<?> type) {
        if (type == String.class) {
            return WStringValueHelper.id();
        }
        // The two hashes of a real one tell versions of a Java class apart. JacORB ignores the whole id for a value
        // compiled from IDL, which brings its own.
        return "RMI:" + type.getName() + ":0000000000000000";
    }

    @Override
    public void writeValue(OutputStream out, Serializable value) {
        throw notImplemented();
    }

    @Override
    public Serializable readValue(InputStream in, int offset, Class<?> type, String repositoryId, RunTime sender) {
        throw notImplemented();
    }

    @Override
    public boolean isCustomMarshaled(Class<?> type) {
        return false;
    }

    @Override
    public RunTime getRunTimeCodeBase() {
        return null;
    }

    @Override
    public Serializable writeReplace(Serializable value) {
        return value;
    }
}
