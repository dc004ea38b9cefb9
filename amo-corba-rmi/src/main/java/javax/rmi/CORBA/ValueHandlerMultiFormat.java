package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA.portable.OutputStream;

/** A {@link ValueHandler} that knows more than the first stream format. */
public interface ValueHandlerMultiFormat extends ValueHandler {
    byte getMaximumStreamFormatVersion();

    void writeValue(OutputStream out, Serializable value, byte version);
}
